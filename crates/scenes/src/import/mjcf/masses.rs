//! Masses that are given, by body and in all.

use super::Reader;
use super::defaults::Element;
use crate::error::SceneError;
use crate::import::rig::Rig;
use drystone::math::inertia::MassProperties;
use drystone::math::{Real, RelativePose, Symmetric3, Vector3};

/// How far below 0 a moment of a full tensor may be by the rounding of files, as a share of the largest one.
const ROUNDED: Real = 1e-3;

impl Reader<'_> {
    /// The mass of a body that does not follow from its geoms; `None` for one of 0 kg.
    pub(super) fn inertial(
        &self,
        of: &Element<'_>,
        frame: &RelativePose,
    ) -> Result<Option<MassProperties>, SceneError> {
        let node = of.node;
        let mass = self.source.number(node, "mass")?;
        let place = frame.compose(&self.place(of)?);
        let tensor = match (node.attribute("fullinertia"), node.attribute("diaginertia")) {
            (Some(text), _) => {
                let [xx, yy, zz, xy, xz, yz] =
                    self.source.exactly(node, "fullinertia", text)?.map(|c: f64| c as Real);
                Symmetric3 { xx, yy, zz, xy, xz, yz }
            }
            (None, Some(text)) => {
                let [xx, yy, zz] = self.source.exactly(node, "diaginertia", text)?.map(|c: f64| c as Real);
                Symmetric3 { xx, yy, zz, ..Symmetric3::ZERO }
            }
            // What has no moments gets some where masses are mended.
            (None, None) => Symmetric3::ZERO,
        };
        let own = MassProperties::from_tensor(mass, Vector3::zeros(), &tensor);
        let least = own.principal.min();
        if mass < 0.0 || least.is_nan() || least < -ROUNDED * own.principal.max().abs() {
            return Err(self
                .source
                .fault(node, format!("no body has this mass and these moments ({mass} kg)")));
        }
        // Without mass it is a frame, whatever its moments.
        Ok((mass > 0.0).then(|| own.transformed(&place.translation, &place.rotation)))
    }
}

/// Scales the masses of all bodies, those that do not move among them, so that they are so much together, kg.
pub(super) fn scale(rig: &mut Rig, total: Real) {
    let masses = || rig.links.iter().filter_map(|link| link.mass);
    let factor = total / masses().map(|mass| mass.mass).sum::<Real>();
    if factor.is_finite() {
        for mass in rig.links.iter_mut().filter_map(|link| link.mass.as_mut()) {
            mass.mass *= factor;
            mass.principal *= factor;
        }
    }
}

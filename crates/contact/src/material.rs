//! Materials: what surfaces are made of, and what a pair of them does in contact.
//!
//! The built-in values are those of the S1 engine's later public releases (last section of the
//! requirements); S1's own Table 1 is not in its text.

use crate::error::{ContactError, check};
use drystone_math::Real;

/// What a contact of two surfaces does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairMaterial {
    /// Share of the closing speed that returns (Newton), in [0, 1].
    pub restitution: Real,
    /// Coefficient of static friction, not below the kinetic one.
    pub static_friction: Real,
    /// Coefficient of kinetic friction, at least 0.
    pub kinetic_friction: Real,
    /// Coefficient of rolling friction, m, at least 0: the largest torque against rolling per normal force. 0 is none.
    pub rolling_friction: Real,
}

impl Default for PairMaterial {
    /// The pair values of all built-in materials: 0.25; 0.20, 0.20; 0.
    fn default() -> Self {
        Self { restitution: 0.25, static_friction: 0.2, kinetic_friction: 0.2, rolling_friction: 0.0 }
    }
}

impl PairMaterial {
    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), ContactError> {
        check("restitution", "in [0, 1]", self.restitution, |v| (0.0..=1.0).contains(&v))?;
        check("kinetic_friction", "at least 0", self.kinetic_friction, |v| v >= 0.0)?;
        check("static_friction", "at least 0", self.static_friction, |v| v >= 0.0)?;
        check("rolling_friction", "at least 0", self.rolling_friction, |v| v >= 0.0)?;
        if self.static_friction < self.kinetic_friction {
            return Err(ContactError::FrictionOrder {
                static_friction: self.static_friction,
                kinetic: self.kinetic_friction,
            });
        }
        Ok(())
    }
}

/// A material of one [`MaterialTable`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaterialId(pub u32);

/// What a body is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name, unique in its table.
    pub name: String,
    /// Density, kg/m³; positive.
    pub density: Real,
    /// Restitution against itself before mixing, in [0, 1].
    pub restitution: Real,
    /// Static friction before mixing (a pair has the sum of both), at least the kinetic one.
    pub static_friction: Real,
    /// Kinetic friction before mixing (a pair has the sum of both), at least 0.
    pub kinetic_friction: Real,
    /// Rolling friction before mixing, m (a pair has the sum of both, since both surfaces yield), at least 0.
    pub rolling_friction: Real,
    /// Poisson's ratio, in [−1, 0.5].
    pub poisson: Real,
    /// Young's modulus, GPa; positive.
    pub young: Real,
    /// Contact stiffness, N/m scaled as Young's modulus; positive. Mixes in series.
    pub stiffness: Real,
}

impl Material {
    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), ContactError> {
        check("density", "positive", self.density, |v| v > 0.0)?;
        check("poisson", "in [-1, 0.5]", self.poisson, |v| (-1.0..=0.5).contains(&v))?;
        check("young", "positive", self.young, |v| v > 0.0)?;
        check("stiffness", "positive", self.stiffness, |v| v > 0.0)?;
        PairMaterial {
            restitution: self.restitution,
            static_friction: self.static_friction,
            kinetic_friction: self.kinetic_friction,
            rolling_friction: self.rolling_friction,
        }
        .validate()
    }

    /// The pair values of two new materials: friction is the **sum** of both coefficients, rolling friction too; restitution
    /// after Stronge, `e²/k = e₁²/k₁ + e₂²/k₂` with stiffness in series.
    pub fn mixed(&self, other: &Material) -> PairMaterial {
        let series = self.stiffness * other.stiffness / (self.stiffness + other.stiffness);
        let squared = series
            * (self.restitution * self.restitution / self.stiffness
                + other.restitution * other.restitution / other.stiffness);
        PairMaterial {
            restitution: squared.sqrt().min(1.0),
            static_friction: self.static_friction + other.static_friction,
            kinetic_friction: self.kinetic_friction + other.kinetic_friction,
            rolling_friction: self.rolling_friction + other.rolling_friction,
        }
    }

    /// Effective Young's modulus of a pair after Hertz, GPa.
    pub fn effective_young(&self, other: &Material) -> Real {
        let (a, b) = (self, other);
        a.young * b.young
            / (b.young * (1.0 - a.poisson * a.poisson) + a.young * (1.0 - b.poisson * b.poisson))
    }
}

/// Name, density kg/m³, Poisson's ratio, Young's modulus GPa of the built-in materials. Iron is 7874 kg/m³
/// where the S1 engine's source has 7.874, a left-over of other units.
const BUILT_IN: [(&str, Real, Real, Real); 5] = [
    ("granite", 2800.0, 0.25, 55.0),
    ("iron", 7874.0, 0.24, 200.0),
    ("copper", 8920.0, 0.33, 117.0),
    ("oak", 800.0, 0.35, 11.0),
    ("fir", 500.0, 0.34, 13.0),
];

/// Materials by name, and what each pair of them does.
///
/// ```
/// use drystone_contact::MaterialTable;
/// let table = MaterialTable::default();
/// let (oak, iron) = (table.find("oak").unwrap(), table.find("iron").unwrap());
/// assert_eq!(table.pair(oak, iron).restitution, 0.25);
/// assert_eq!(table.get(iron).unwrap().density, 7874.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialTable {
    materials: Vec<Material>,
    /// Pair values, row after row of the square table.
    pairs: Vec<PairMaterial>,
}

impl Default for MaterialTable {
    /// The five built-in materials; [`MaterialId`] 0 is granite.
    fn default() -> Self {
        let materials: Vec<Material> = BUILT_IN
            .iter()
            .map(|&(name, density, poisson, young)| Material {
                name: name.to_owned(),
                density,
                restitution: 0.5,
                static_friction: 0.1,
                kinetic_friction: 0.1,
                rolling_friction: 0.0,
                poisson,
                young,
                stiffness: young,
            })
            .collect();
        // The built-in restitution 0.25 is the product 0.5 * 0.5, so it does not follow Stronge's rule.
        let pairs = vec![PairMaterial::default(); materials.len() * materials.len()];
        Self { materials, pairs }
    }
}

impl MaterialTable {
    /// Number of materials.
    pub fn len(&self) -> usize {
        self.materials.len()
    }

    /// Never true: the built-in materials stay.
    pub fn is_empty(&self) -> bool {
        self.materials.is_empty()
    }

    /// The material of an id.
    pub fn get(&self, id: MaterialId) -> Option<&Material> {
        self.materials.get(id.0 as usize)
    }

    /// The id of a name.
    ///
    /// # Errors
    /// [`ContactError::UnknownMaterial`].
    pub fn find(&self, name: &str) -> Result<MaterialId, ContactError> {
        let position = self.materials.iter().position(|m| m.name == name);
        position.map(|i| MaterialId(i as u32)).ok_or_else(|| ContactError::UnknownMaterial(name.to_owned()))
    }

    /// The first material whose name begins with `prefix`, in order of registration.
    pub fn find_prefix(&self, prefix: &str) -> Option<MaterialId> {
        self.materials.iter().position(|m| m.name.starts_with(prefix)).map(|i| MaterialId(i as u32))
    }

    /// Registers a material; an empty name becomes `material-N`. Its pair values with all others follow
    /// the mixing rules until overridden.
    ///
    /// # Errors
    /// A value out of range, or a name that is taken.
    pub fn add(&mut self, mut material: Material) -> Result<MaterialId, ContactError> {
        material.validate()?;
        if material.name.is_empty() {
            material.name = format!("material-{}", self.materials.len());
        }
        if self.find(&material.name).is_ok() {
            return Err(ContactError::DuplicateMaterial(material.name));
        }
        let (old, new) = (self.materials.len(), self.materials.len() + 1);
        let mut pairs = Vec::with_capacity(new * new);
        for row in 0..old {
            pairs.extend_from_slice(&self.pairs[row * old..(row + 1) * old]);
            pairs.push(self.materials[row].mixed(&material));
        }
        pairs.extend(self.materials.iter().map(|m| m.mixed(&material)));
        pairs.push(material.mixed(&material));
        self.pairs = pairs;
        self.materials.push(material);
        Ok(MaterialId(old as u32))
    }

    /// What the pair does. An id of another table counts as material 0.
    #[inline]
    pub fn pair(&self, a: MaterialId, b: MaterialId) -> PairMaterial {
        let count = self.materials.len();
        let inside = |id: MaterialId| if (id.0 as usize) < count { id.0 as usize } else { 0 };
        self.pairs[inside(a) * count + inside(b)]
    }

    /// Overrides what a pair does.
    ///
    /// # Errors
    /// A value out of range, or an unknown id.
    pub fn set_pair(&mut self, a: MaterialId, b: MaterialId, pair: PairMaterial) -> Result<(), ContactError> {
        pair.validate()?;
        for id in [a, b] {
            if self.get(id).is_none() {
                return Err(ContactError::UnknownMaterialId(id));
            }
        }
        let count = self.materials.len();
        self.pairs[a.0 as usize * count + b.0 as usize] = pair;
        self.pairs[b.0 as usize * count + a.0 as usize] = pair;
        Ok(())
    }

    /// Overrides what every pair of registered materials does.
    ///
    /// # Errors
    /// A value out of range.
    pub fn set_all_pairs(&mut self, pair: PairMaterial) -> Result<(), ContactError> {
        pair.validate()?;
        self.pairs.fill(pair);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rubber() -> Material {
        Material {
            name: "rubber".into(),
            density: 1100.0,
            restitution: 0.8,
            static_friction: 0.5,
            kinetic_friction: 0.4,
            rolling_friction: 1e-3,
            poisson: 0.49,
            young: 0.05,
            stiffness: 0.05,
        }
    }

    #[test]
    fn built_in_pairs_are_all_alike() {
        let table = MaterialTable::default();
        for a in 0..5 {
            for b in 0..5 {
                assert_eq!(table.pair(MaterialId(a), MaterialId(b)), PairMaterial::default());
            }
        }
    }

    #[test]
    fn new_materials_mix_and_old_pairs_stay() {
        let mut table = MaterialTable::default();
        let id = table.add(rubber()).expect("valid");
        let oak = table.find("oak").expect("built in");
        assert_eq!(table.pair(oak, oak), PairMaterial::default());
        let own = table.pair(id, id);
        assert!((own.static_friction - 1.0).abs() < 1e-6 && (own.kinetic_friction - 0.8).abs() < 1e-6);
        assert_eq!((own.rolling_friction, table.pair(id, oak).rolling_friction), (2e-3, 1e-3));
        assert!((own.restitution - 0.8).abs() < 1e-5, "a material against itself keeps its restitution");
        assert_eq!(table.pair(id, oak), table.pair(oak, id));
        assert!(matches!(table.add(rubber()), Err(ContactError::DuplicateMaterial(_))));
    }

    #[test]
    fn kinetic_friction_above_static_is_refused() {
        let mut table = MaterialTable::default();
        let pair = PairMaterial { restitution: 0.0, static_friction: 0.1, ..PairMaterial::default() };
        let refused = table.set_pair(MaterialId(0), MaterialId(1), pair);
        assert!(matches!(refused, Err(ContactError::FrictionOrder { .. })));
        assert_eq!(table, MaterialTable::default());
        assert!(table.add(Material { density: Real::NAN, ..rubber() }).is_err());
    }
}

//! The controls beside the picture. They change how it is looked at by themselves, and ask for everything else.

use crate::history::SERIES;
use crate::session::Session;
use crate::sketch::{Colours, Look};
use drystone::BodyHandle;
use drystone::debug::DebugColour;
use drystone_scenes::{Preset, list};
use egui_plot::{Line, Plot};
use three_d::egui::{self, Color32, RichText, Ui};

/// Width of the panel, points.
pub(crate) const WIDTH: f32 = 320.0;

/// Something the user asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Order {
    /// Another scene, by name or from a file.
    Open(String),
    /// The same scene from its beginning.
    Restart,
    /// Another solver.
    Switch(Preset),
    /// One step.
    Step,
    /// A ball, thrown from the eye to where the pointer was last in the picture; before it was there, to the middle.
    Throw,
}

/// What the panel remembers.
#[derive(Debug)]
pub(crate) struct Panel {
    /// The scene that is typed in.
    pub(crate) typed: String,
    /// What went wrong last.
    pub(crate) message: Option<String>,
    pub(crate) shows_graph: bool,
    pub(crate) has_shadows: bool,
}

impl Panel {
    /// A panel for a scene.
    pub(crate) fn new(scene: &str) -> Self {
        Self { typed: scene.to_owned(), message: None, shows_graph: false, has_shadows: true }
    }

    /// Shows it; what was asked for is added to `orders`.
    pub(crate) fn show(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        look: &mut Look,
        selected: Option<BodyHandle>,
        orders: &mut Vec<Order>,
    ) {
        ui.spacing_mut().slider_width = 60.0;
        self.scene(ui, session, orders);
        clock(ui, session, orders);
        solver(ui, session, orders);
        if let Some(message) = &self.message {
            ui.label(RichText::new(message).color(Color32::LIGHT_RED));
        }
        ui.separator();
        self.view(ui, look);
        ui.separator();
        report(ui, session);
        if let Some(body) = selected {
            facts(ui, session, body);
        }
        ui.separator();
        plots(ui, session);
        ui.label(RichText::new("Drag a body to pull and throw it, B throws a ball. Drag beside bodies to turn, with the right button to shift, wheel to zoom. Space pauses, S steps, R begins again.").small().weak());
    }

    fn scene(&mut self, ui: &mut Ui, session: &Session, orders: &mut Vec<Order>) {
        ui.horizontal(|ui| {
            egui::ComboBox::from_id_salt("scene").selected_text(session.name()).width(150.0).show_ui(
                ui,
                |ui| {
                    for info in list() {
                        let entry =
                            ui.selectable_label(session.runner().scene().name == info.name, info.name);
                        if entry.on_hover_text(info.summary).clicked() {
                            info.name.clone_into(&mut self.typed);
                            orders.push(Order::Open(self.typed.clone()));
                        }
                    }
                },
            );
            let hint = "a scene with its number (tower:20), or a file (.ron)";
            let field =
                ui.add(egui::TextEdit::singleline(&mut self.typed).desired_width(120.0)).on_hover_text(hint);
            if field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
                orders.push(Order::Open(self.typed.trim().to_owned()));
            }
        });
        let scene = session.runner().scene();
        if !scene.description.is_empty() {
            ui.label(RichText::new(&scene.description).small());
        }
    }

    fn view(&mut self, ui: &mut Ui, look: &mut Look) {
        ui.horizontal(|ui| {
            ui.label("colours");
            for (name, colours) in [
                ("material", Colours::Material),
                ("asleep", Colours::Engine(DebugColour::Activity)),
                ("island", Colours::Engine(DebugColour::Island)),
                ("level", Colours::Engine(DebugColour::Level)),
            ] {
                if ui.selectable_label(look.colours == colours, name).clicked() {
                    look.colours = colours;
                    if let Colours::Engine(colour) = colours {
                        look.options.colour = colour;
                    }
                }
            }
        });
        ui.horizontal_wrapped(|ui| {
            ui.checkbox(&mut look.options.shapes, "bodies");
            ui.checkbox(&mut look.is_wire, "wires");
            ui.checkbox(&mut self.has_shadows, "shadows");
            ui.checkbox(&mut look.options.contacts, "contacts");
            ui.checkbox(&mut look.options.normals, "normals");
            ui.checkbox(&mut look.options.forces, "forces");
            ui.checkbox(&mut look.options.graph, "edges");
            ui.checkbox(&mut look.options.joints, "joints");
            ui.checkbox(&mut look.options.boxes, "boxes");
            ui.checkbox(&mut self.shows_graph, "graph");
        });
    }
}

fn clock(ui: &mut Ui, session: &mut Session, orders: &mut Vec<Order>) {
    ui.horizontal(|ui| {
        let name = if session.is_paused { "run" } else { "pause" };
        if ui.button(name).clicked() {
            session.is_paused = !session.is_paused;
        }
        for (name, order) in [("step", Order::Step), ("restart", Order::Restart), ("throw", Order::Throw)] {
            if ui.button(name).clicked() {
                orders.push(order);
            }
        }
        ui.add(
            egui::Slider::new(&mut session.speed, 0.05..=4.0)
                .logarithmic(true)
                .show_value(false)
                .text("speed"),
        );
    });
    let behind = if !session.is_paused && session.reached() < 0.9 {
        format!(", {:.2} of the speed reached", session.reached())
    } else {
        String::new()
    };
    ui.label(format!(
        "{:.2} s, {} steps at {} Hz{behind}",
        session.runner().time(),
        session.runner().step_count(),
        session.runner().schedule().hz
    ));
}

fn solver(ui: &mut Ui, session: &Session, orders: &mut Vec<Order>) {
    ui.horizontal(|ui| {
        ui.label("solver");
        egui::ComboBox::from_id_salt("preset").selected_text(session.preset().name()).show_ui(ui, |ui| {
            for &preset in Preset::ALL {
                if ui.selectable_label(session.preset() == preset, preset.name()).clicked() {
                    orders.push(Order::Switch(preset));
                }
            }
        });
    });
}

fn report(ui: &mut Ui, session: &Session) {
    let Some(report) = session.runner().report() else {
        ui.label("no step yet");
        return;
    };
    ui.label(format!(
        "{} bodies, {} awake, {} asleep, {} islands",
        report.bodies, report.awake, report.asleep, report.islands
    ));
    ui.label(format!(
        "{} contacts, {} joints, {} iterations",
        report.contacts, report.joints, report.iterations
    ));
    let overlap = format!("deepest overlap {:.2} mm", report.worst_overlap * 1e3);
    ui.label(overlap);
    if !report.is_solved {
        ui.label(
            RichText::new(format!("not solved: residual {:.2e}", report.worst_residual))
                .color(Color32::YELLOW),
        );
    }
    if !report.quarantined.is_empty() {
        ui.label(
            RichText::new(format!(
                "{} bodies taken out: their state was no number",
                report.quarantined.len()
            ))
            .color(Color32::LIGHT_RED),
        );
    }
}

fn facts(ui: &mut Ui, session: &Session, body: BodyHandle) {
    let Ok(facts) = session.runner().world().body(body) else { return };
    let scene = session.runner().scene();
    let spec = usize::try_from(facts.user_data).ok().and_then(|index| scene.bodies.get(index));
    let name = spec.map_or("thrown ball", |spec| spec.name.as_str());
    let state = if facts.is_asleep { ", asleep" } else { "" };
    ui.label(RichText::new(format!("{name}{state}")).strong());
    ui.label(format!(
        "{:.4} kg, {:.3} m/s, {:.3} rad/s",
        facts.mass,
        facts.linear_velocity.norm(),
        facts.angular_velocity.norm()
    ));
    let place = facts.center;
    ui.label(format!("at {:.3} {:.3} {:.3} m", place.x, place.y, place.z));
    let level = session.runner().world().level(body).ok().flatten();
    let [island, level] =
        [facts.island, level].map(|number| number.map_or("none".to_owned(), |n| n.to_string()));
    ui.label(format!("island {island}, level {level}"));
}

fn plots(ui: &mut Ui, session: &Session) {
    for (index, (name, unit)) in SERIES.iter().enumerate() {
        let last = session.history.last(index).map_or(String::new(), |value| format!(" {value:.3} {unit}"));
        ui.label(RichText::new(format!("{name}{last}")).small());
        Plot::new(*name)
            .height(46.0)
            .show_axes(false)
            .allow_drag(false)
            .allow_zoom(false)
            .allow_scroll(false)
            .include_y(0.0)
            .show(ui, |plot| plot.line(Line::new(*name, session.history.points(index))));
    }
}

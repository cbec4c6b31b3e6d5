//! Whose the pointer is: the picture's, or that of the controls which lie over it.
//!
//! The library marks what the mouse does as used only while a widget is held down: wheel and clicks on the panel would turn and pick what is behind it too.

use crate::panel::WIDTH;
use three_d::{Event, PhysicalPoint, egui};

/// The mouse, between two pictures.
#[derive(Debug, Default)]
pub(crate) struct Pointer {
    /// Where in the picture it was last.
    at: Option<PhysicalPoint>,
    /// A button went down over the controls, and is held.
    drags_controls: bool,
}

impl Pointer {
    /// Where in the picture it was last, beside all controls.
    pub(crate) fn at(&self) -> Option<PhysicalPoint> {
        self.at
    }

    /// Marks events over the controls as used, and motion that began there.
    pub(crate) fn sort(&mut self, events: &mut [Event], is_over_controls: &dyn Fn(PhysicalPoint) -> bool) {
        for event in events {
            match event {
                Event::MousePress { position, handled, .. } => {
                    self.drags_controls = is_over_controls(*position);
                    *handled |= self.drags_controls;
                    self.follow(*position, self.drags_controls);
                }
                Event::MouseRelease { .. } => self.drags_controls = false,
                Event::MouseMotion { position, button, handled, .. } => {
                    let is_over = is_over_controls(*position);
                    *handled |= if button.is_some() { self.drags_controls } else { is_over };
                    self.follow(*position, is_over || *handled);
                }
                Event::MouseWheel { position, handled, .. }
                | Event::PinchGesture { position, handled, .. } => {
                    *handled |= is_over_controls(*position);
                }
                _ => {}
            }
        }
    }

    fn follow(&mut self, position: PhysicalPoint, is_elsewhere: bool) {
        if !is_elsewhere {
            self.at = Some(position);
        }
    }
}

/// Whether a point of a window of this height (pixels) and this many pixels per point is on the panel, or on a window of the controls.
pub(crate) fn is_over_controls(context: &egui::Context, at: PhysicalPoint, height: u32, ratio: f32) -> bool {
    let at = egui::pos2(at.x / ratio, (height as f32 - at.y) / ratio);
    let layer = context.layer_id_at(at);
    at.x < WIDTH || layer.is_some_and(|layer| layer.order != egui::Order::Background)
}

#[cfg(test)]
mod tests {
    use super::*;
    use three_d::{Modifiers, MouseButton};

    const PANEL: PhysicalPoint = PhysicalPoint { x: 100.0, y: 300.0 };
    const PICTURE: PhysicalPoint = PhysicalPoint { x: 900.0, y: 300.0 };
    const BESIDE: PhysicalPoint = PhysicalPoint { x: 950.0, y: 350.0 };

    fn press(position: PhysicalPoint) -> Event {
        Event::MousePress {
            button: MouseButton::Left,
            position,
            modifiers: Modifiers::default(),
            handled: false,
        }
    }

    fn release(position: PhysicalPoint) -> Event {
        Event::MouseRelease {
            button: MouseButton::Left,
            position,
            modifiers: Modifiers::default(),
            handled: false,
        }
    }

    fn motion(position: PhysicalPoint, button: Option<MouseButton>) -> Event {
        let modifiers = Modifiers::default();
        Event::MouseMotion { button, delta: (1.0, 1.0), position, modifiers, handled: false }
    }

    fn wheel(position: PhysicalPoint) -> Event {
        Event::MouseWheel { delta: (0.0, 24.0), position, modifiers: Modifiers::default(), handled: false }
    }

    /// Sorts, and tells which of the events are used up.
    fn used(pointer: &mut Pointer, events: &mut [Event]) -> Vec<bool> {
        pointer.sort(events, &|at| at.x < WIDTH);
        let is_used = |event: &Event| {
            matches!(
                event,
                Event::MousePress { handled: true, .. }
                    | Event::MouseRelease { handled: true, .. }
                    | Event::MouseMotion { handled: true, .. }
                    | Event::MouseWheel { handled: true, .. }
            )
        };
        events.iter().map(is_used).collect()
    }

    #[test]
    fn what_happens_over_the_controls_is_theirs() {
        let mut pointer = Pointer::default();
        let held = Some(MouseButton::Left);
        let mut events =
            [motion(PICTURE, None), wheel(PICTURE), wheel(PANEL), press(PANEL), motion(PICTURE, held)];
        assert_eq!(used(&mut pointer, &mut events), [false, false, true, true, true]);
        // After it was let go the picture has its turn, and what began there goes on over the panel.
        let mut events =
            [release(PICTURE), press(PICTURE), motion(PANEL, held), release(PANEL), motion(PANEL, None)];
        assert_eq!(used(&mut pointer, &mut events), [false, false, false, false, true]);
    }

    #[test]
    fn a_ball_is_thrown_to_where_the_pointer_was_in_the_picture() {
        let mut pointer = Pointer::default();
        used(&mut pointer, &mut [motion(PANEL, None)]);
        assert_eq!(pointer.at(), None, "it was never there");
        used(
            &mut pointer,
            &mut [motion(PICTURE, None), motion(BESIDE, None), motion(PANEL, None), press(PANEL)],
        );
        assert_eq!(pointer.at(), Some(BESIDE));
    }

    #[test]
    fn the_panel_and_windows_are_controls() {
        let context = egui::Context::default();
        let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1280.0, 800.0));
        // Areas know their sizes after they were shown once.
        for _ in 0..2 {
            let input = egui::RawInput { screen_rect: Some(screen), ..egui::RawInput::default() };
            drop(context.run_ui(input, |ui| {
                egui::Panel::left("panel").exact_size(WIDTH).resizable(false).show_inside(ui, |ui| {
                    ui.label("controls");
                });
                let window = egui::Window::new("contact graph").fixed_pos([800.0, 450.0]);
                window.fixed_size([200.0, 100.0]).show(ui.ctx(), |ui| ui.label("nodes"));
            }));
        }
        // Two pixels per point, rows from below.
        let is_over = |x: f32, y: f32| {
            is_over_controls(&context, PhysicalPoint { x: 2.0 * x, y: 2.0 * (800.0 - y) }, 1600, 2.0)
        };
        assert!(is_over(100.0, 790.0) && is_over(319.0, 10.0), "the panel, also below its last line");
        assert!(is_over(810.0, 460.0), "the window");
        assert!(!is_over(340.0, 460.0) && !is_over(810.0, 300.0), "the picture");
    }
}

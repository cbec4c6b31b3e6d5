//! The window: what is typed, clicked and drawn in each picture.

use crate::args::Args;
use crate::graph_view::Layout;
use crate::panel::{Order, Panel, WIDTH};
use crate::picture::Picture;
use crate::pointer::{Pointer, is_over_controls};
use crate::session::Session;
use crate::sketch::{Look, Sketch};
use crate::tour::{Shot, Tour};
use drystone::math::{Displacement, Position};
use drystone::{BodyHandle, Ray};
use drystone_scenes::list;
use std::panic::{self, AssertUnwindSafe};
use three_d::{
    Event, FrameInput, FrameOutput, GUI, Key, MouseButton, PhysicalPoint, Viewport, Window, WindowSettings,
    egui,
};

/// Everything between two pictures.
struct App {
    session: Session,
    picture: Picture,
    sketch: Sketch,
    look: Look,
    gui: GUI,
    panel: Panel,
    selected: Option<BodyHandle>,
    pointer: Pointer,
    tour: Option<Tour>,
    /// A scene of the tour is drawn and waits for its picture.
    is_posing: bool,
}

/// Opens the window and shows it until it is closed; does not return then.
///
/// # Errors
/// A scene that cannot be run, or why there is no window.
pub(crate) fn show(args: &Args) -> Result<(), String> {
    let tour = args.tour.as_ref().map(|folder| {
        let all = || list().iter().map(|info| info.name.to_owned()).collect();
        let scenes = if args.only.is_empty() { all() } else { args.only.clone() };
        Tour::new(folder, scenes, args.seconds)
    });
    let tour = tour.transpose()?;
    let mut session =
        Session::open(&args.scene, args.preset, args.threads).map_err(|error| error.to_string())?;
    session.is_paused = args.paused || tour.is_some();
    let settings = WindowSettings {
        title: "drystone testbed".to_owned(),
        min_size: (320, 320),
        initial_size: Some(args.size),
        max_size: tour.is_some().then_some(args.size),
        ..WindowSettings::default()
    };
    let window = open_window(settings)?;
    let context = window.gl();
    let picture = Picture::of(&context, &session, window.viewport());
    let mut look = Look::default();
    scale_marks(&mut look, &session);
    let mut app = App {
        panel: Panel::new(session.name()),
        session,
        picture,
        sketch: Sketch::default(),
        look,
        gui: GUI::new(&context),
        selected: None,
        pointer: Pointer::default(),
        tour,
        is_posing: false,
    };
    window.render_loop(move |input| app.frame(input));
    Ok(())
}

/// Opens the window. Where no screen answers the library panics: that becomes an error too.
fn open_window(settings: WindowSettings) -> Result<Window, String> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let opened = panic::catch_unwind(AssertUnwindSafe(|| Window::new(settings)));
    panic::set_hook(hook);
    let why = match opened {
        Ok(Ok(window)) => return Ok(window),
        Ok(Err(error)) => error.to_string(),
        Err(payload) => {
            let told = payload.downcast_ref::<String>().map(String::as_str);
            let told = told.or(payload.downcast_ref::<&str>().copied()).unwrap_or_default();
            format!("no screen answers ({told})")
        }
    };
    Err(format!("cannot open a window: {why}"))
}

/// Sizes of points and normals that suit the bodies, and of forces: what carries a body of mean weight is as long as four of its radii.
fn scale_marks(look: &mut Look, session: &Session) {
    let bodies = session.runner().world().bodies();
    let mut sizes: Vec<[f32; 2]> =
        bodies.filter(|body| body.mass > 0.0).map(|body| [body.radius, body.mass]).collect();
    sizes.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let Some(&[radius, mass]) = sizes.get(sizes.len() / 2) else { return };
    look.options.size = 0.4 * radius;
    look.options.force_scale = 4.0 * radius / (10.0 * mass);
}

impl App {
    fn frame(&mut self, mut input: FrameInput) -> FrameOutput {
        if self.tour.is_some() && !self.is_posing && !self.pose(&input) {
            let went_well = self.tour.as_ref().is_none_or(Tour::finish);
            std::process::exit(i32::from(!went_well));
        }
        let mut orders = Vec::new();
        self.controls(&mut input, &mut orders);
        let (context, height, ratio) = (self.gui.context(), input.viewport.height, input.device_pixel_ratio);
        self.pointer.sort(&mut input.events, &|at| is_over_controls(context, at, height, ratio));
        let panel = (WIDTH * input.device_pixel_ratio) as u32;
        let width = input.viewport.width.saturating_sub(panel).max(1);
        let viewport = Viewport { x: panel as i32, y: 0, width, height: input.viewport.height };
        self.picture.camera.set_viewport(viewport);
        self.react(&mut input.events, &mut orders);
        for order in orders {
            self.obey(order, &input);
        }
        if let Err(error) = self.session.pass(input.elapsed_time * 1e-3) {
            self.panel.message = Some(error.to_string());
            self.session.is_paused = true;
        }
        self.draw(&input);
        if self.is_posing {
            self.shoot(&input, panel);
        }
        FrameOutput::default()
    }

    /// Opens the next scene of the tour and simulates up to its picture; false at the end.
    fn pose(&mut self, input: &FrameInput) -> bool {
        while let Some(scene) = self.tour.as_mut().and_then(Tour::next) {
            self.obey(Order::Open(scene.clone()), input);
            let outcome = match (&self.panel.message, &self.tour) {
                (None, Some(tour)) => tour.simulate(&mut self.session).map_err(|error| error.to_string()),
                (message, _) => Err(message.clone().unwrap_or_default()),
            };
            match (outcome, &mut self.tour) {
                (Err(why), Some(tour)) => tour.fail(&scene, &why),
                _ => {
                    self.is_posing = true;
                    return true;
                }
            }
        }
        false
    }

    /// Takes the picture of the scene that poses.
    fn shoot(&mut self, input: &FrameInput, panel: u32) {
        let (width, height) = (input.viewport.width, input.viewport.height);
        let pixels = input.screen().read_color::<[u8; 4]>();
        let shot = Shot { width, height, pixels };
        if let Some(tour) = &mut self.tour {
            tour.take(&self.session, &shot, panel);
        }
        self.is_posing = false;
    }

    /// Runs the controls. What they use up of the keys is marked in the events.
    fn controls(&mut self, input: &mut FrameInput, orders: &mut Vec<Order>) {
        let Self { gui, panel, session, look, selected, .. } = self;
        let layout =
            panel.shows_graph.then(|| Layout::of(&session.runner().world().graph_snapshot(), *selected));
        gui.update(
            &mut input.events,
            input.accumulated_time,
            input.viewport,
            input.device_pixel_ratio,
            |ui| {
                egui::Panel::left("panel").exact_size(WIDTH).resizable(false).show_inside(ui, |ui| {
                    egui::ScrollArea::vertical()
                        .show(ui, |ui| panel.show(ui, session, look, *selected, orders));
                });
                if let Some(layout) = &layout {
                    let window = egui::Window::new("contact graph").default_size([400.0, 280.0]);
                    window.default_pos([WIDTH + 20.0, 20.0]).show(ui.ctx(), |ui| {
                        if let Some(body) = layout.show(ui, *selected) {
                            *selected = Some(body);
                        }
                    });
                }
            },
        );
    }

    /// What the mouse and the keys do in the picture.
    fn react(&mut self, events: &mut [Event], orders: &mut Vec<Order>) {
        for event in &mut *events {
            match event {
                Event::MousePress { button: MouseButton::Left, position, handled, .. } if !*handled => {
                    let (eye, along) = self.sight(*position);
                    self.selected = Ray::new(eye, along).ok().and_then(|ray| self.session.pick(&ray));
                    *handled = self.session.is_holding();
                }
                Event::MouseRelease { button: MouseButton::Left, .. } => self.session.hand.release(),
                Event::MouseMotion { button, delta, position, handled, .. } => {
                    if self.session.is_holding() {
                        let (eye, along) = self.sight(*position);
                        self.session.hand.move_along(&eye, &along);
                        *handled = true;
                    } else if *button == Some(MouseButton::Right) && !*handled {
                        self.picture.shift(-0.0012 * delta.0, 0.0012 * delta.1);
                        *handled = true;
                    }
                }
                Event::KeyPress { kind, handled, .. } if !*handled => self.key(*kind, orders),
                _ => {}
            }
        }
        self.picture.control.handle_events(&mut self.picture.camera, events);
    }

    fn key(&mut self, key: Key, orders: &mut Vec<Order>) {
        match key {
            Key::Space => self.session.is_paused = !self.session.is_paused,
            Key::S | Key::ArrowRight => orders.push(Order::Step),
            Key::R => orders.push(Order::Restart),
            Key::B => orders.push(Order::Throw),
            Key::W => self.look.is_wire = !self.look.is_wire,
            Key::G => self.panel.shows_graph = !self.panel.shows_graph,
            Key::Escape => self.selected = None,
            _ => {}
        }
    }

    fn obey(&mut self, order: Order, input: &FrameInput) {
        let outcome = match order {
            Order::Open(name) => self.open(&name, input),
            Order::Restart => {
                let name = self.session.name().to_owned();
                self.session.reopen(&name).map(|()| self.forget())
            }
            Order::Switch(preset) => self.session.switch(preset),
            Order::Step => {
                self.session.is_paused = true;
                self.session.step()
            }
            Order::Throw => {
                let (eye, along) = self.sight(self.pointer.at().unwrap_or_else(|| self.middle()));
                self.session.throw(&eye, &along).map(drop)
            }
        };
        self.panel.message = outcome.err().map(|error| error.to_string());
    }

    fn open(&mut self, name: &str, input: &FrameInput) -> Result<(), drystone_scenes::SceneError> {
        self.session.reopen(name)?;
        self.forget();
        name.clone_into(&mut self.panel.typed);
        self.picture = Picture::of(&input.context, &self.session, self.picture.camera.viewport());
        scale_marks(&mut self.look, &self.session);
        Ok(())
    }

    /// Forgets what was about bodies that are gone.
    fn forget(&mut self) {
        self.selected = None;
    }

    fn draw(&mut self, input: &FrameInput) {
        self.sketch.draw(&self.session, &self.look, self.selected);
        self.picture.set_shadows(self.panel.has_shadows);
        self.picture.take(&self.sketch);
        let target = input.screen();
        let drawn = self.picture.draw(&target).and_then(|()| {
            target.write(|| self.gui.render()).map(drop).map_err(|error| format!("{error:?}"))
        });
        if let Err(error) = drawn {
            self.panel.message = Some(error);
        }
    }

    /// The middle of the picture.
    fn middle(&self) -> PhysicalPoint {
        let Viewport { x, y, width, height } = self.picture.camera.viewport();
        PhysicalPoint { x: x as f32 + 0.5 * width as f32, y: y as f32 + 0.5 * height as f32 }
    }

    /// From the eye through a point of the picture, in the world.
    fn sight(&self, at: PhysicalPoint) -> (Position, Displacement) {
        let camera = &self.picture.camera;
        let from = camera.position();
        let along = camera.view_direction_at_pixel(at);
        let eye = self.session.center() + Displacement::new(from.x.into(), from.y.into(), from.z.into());
        (eye, Displacement::new(along.x.into(), along.y.into(), along.z.into()))
    }
}

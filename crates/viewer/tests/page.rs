//! The page in a browser: it draws, scrubbing changes the picture, and nothing is logged as an error.
//!
//! Needs `chromium` on the path; without it the browser test says so and passes, unless
//! `DRYSTONE_REQUIRE_CHROMIUM=1` is set.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use drystone_viewer::page::{page_html, write_page};

const FRAME_COUNT: usize = 120;
const LATE_FRAME: usize = 100;
/// A body in the middle of the lattice, whose pose the page must report.
const PROBE: usize = 137;
/// How long a browser may take; software drawing on a busy machine is slow.
const BROWSER_TIME: Duration = Duration::from_secs(120);

#[test]
fn page_is_one_file_without_references() {
    let html = page_html(&common::tumbling(2)).expect("it is made");
    for reference in ["http://", "https://", "src=", "@import", "url(", "import(", "{{"] {
        assert!(!html.contains(reference), "the page contains {reference:?}");
    }
    assert!(html.contains("<title>tumbling &lt;test&gt; &amp; more</title>"));
    assert!(html.len() < 200_000, "{} bytes for a small recording", html.len());
}

#[test]
fn page_plays_in_a_browser() {
    let Some(chromium) = find_chromium() else {
        let is_required = std::env::var("DRYSTONE_REQUIRE_CHROMIUM").is_ok_and(|v| v == "1");
        assert!(
            !is_required,
            "DRYSTONE_REQUIRE_CHROMIUM=1, but neither chromium nor google-chrome is on the path"
        );
        println!("skipped: neither chromium nor google-chrome is on the path");
        return;
    };
    let folder = Scratch::new();
    let recording = common::tumbling(FRAME_COUNT);
    let page = folder.0.join("page.html");
    write_page(&recording, &page).expect("it is written");

    let first = open(&chromium, &folder.0, &page, "f=0&panel=0", "first.png");
    let late = open(&chromium, &folder.0, &page, &format!("f={LATE_FRAME}&panel=0&contacts=1"), "late.png");
    let (first, late) = (Picture::read(&first), Picture::read(&late));
    assert!(first.color_count() > 1000, "only {} colours: is the canvas blank?", first.color_count());
    let changed = first.share_changed(&late);
    assert!(changed > 0.05, "only {changed} of the picture changed between frames 0 and {LATE_FRAME}");

    let address = format!("f={LATE_FRAME}&probe={PROBE}");
    let document = dump(&chromium, &folder.0, &page, &address);
    let attribute = |name: &str| {
        let from = document.find(&format!("{name}=\"")).map(|at| at + name.len() + 2);
        let rest = &document[from.unwrap_or_else(|| panic!("the document has no {name}"))..];
        rest[..rest.find('"').expect("the attribute ends")].to_owned()
    };
    assert_eq!(attribute("data-errors"), "");
    assert_eq!((attribute("data-ready").as_str(), attribute("data-frame")), ("true", LATE_FRAME.to_string()));
    // The page reads the same pose as we do.
    let shown: Vec<f64> = attribute("data-probe").split(' ').map(|n| n.parse().expect("a number")).collect();
    let state = recording.frame(LATE_FRAME).expect("it exists").bodies[PROBE];
    let position = (0..3).map(|i| state.position[i] - recording.origin()[i]);
    let expected = position.chain(state.rotation.iter().map(|&c| f64::from(c)));
    for (shown, expected) in shown.iter().zip(expected) {
        assert!((shown - expected).abs() < 1e-5, "{shown} {expected}");
    }
}

fn find_chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path).flat_map(|dir| names.map(|n| dir.join(n))).find(|file| file.is_file())
}

/// Opens the page, saves a picture of it, and checks that nothing was logged.
fn open(chromium: &Path, folder: &Path, page: &Path, address: &str, name: &str) -> PathBuf {
    let picture = folder.join(name);
    browse(chromium, folder, page, address, &format!("--screenshot={}", picture.display()));
    picture
}

/// The page's document after it has run.
fn dump(chromium: &Path, folder: &Path, page: &Path, address: &str) -> String {
    browse(chromium, folder, page, address, "--dump-dom")
}

fn browse(chromium: &Path, folder: &Path, page: &Path, address: &str, action: &str) -> String {
    let (out, log) = (folder.join("stdout"), folder.join("stderr"));
    let file = |path: &Path| std::fs::File::create(path).expect("the scratch folder can be written to");
    let mut browser = Command::new(chromium)
        .args(["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader"])
        .args(["--enable-unsafe-swiftshader", "--hide-scrollbars", "--no-first-run", "--disable-sync"])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--force-device-scale-factor=1",
        ])
        .args(["--window-size=960,600", "--virtual-time-budget=4000", "--enable-logging=stderr", "--v=0"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(action)
        .arg(format!("file://{}#{address}", page.display()))
        .stdout(file(&out))
        .stderr(file(&log))
        .spawn()
        .expect("the browser starts");
    let started = Instant::now();
    let status = loop {
        if let Some(status) = browser.try_wait().expect("the browser can be waited for") {
            break status;
        }
        if started.elapsed() > BROWSER_TIME {
            browser.kill().expect("the browser can be ended");
            panic!("the browser took longer than {BROWSER_TIME:?} for #{address}");
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let read =
        |path: &Path| String::from_utf8_lossy(&std::fs::read(path).expect("it was written")).into_owned();
    let log = read(&log);
    assert!(status.success(), "the browser failed: {log}");
    let complaints: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "logged for #{address}: {complaints:?}");
    read(&out)
}

/// A folder that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("drystone-page-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("there is room for temporary files");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover in the folder for temporary files is no reason to fail.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A screenshot as pixels.
struct Picture {
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    fn read(path: &Path) -> Self {
        let file = std::fs::File::open(path).expect("the browser wrote a picture");
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("it is a PNG");
        let mut bytes = vec![0; reader.output_buffer_size().expect("it fits in memory")];
        let info = reader.next_frame(&mut bytes).expect("it can be read");
        let channels = info.color_type.samples();
        Self { pixels: bytes.chunks_exact(channels).map(|p| [p[0], p[1], p[2]]).collect() }
    }

    fn color_count(&self) -> usize {
        let mut colours = self.pixels.clone();
        colours.sort_unstable();
        colours.dedup();
        colours.len()
    }

    fn share_changed(&self, other: &Self) -> f64 {
        assert_eq!(self.pixels.len(), other.pixels.len());
        let differs = |(a, b): (&[u8; 3], &[u8; 3])| (0..3).any(|i| a[i].abs_diff(b[i]) > 24);
        let changed = self.pixels.iter().zip(&other.pixels).filter(|pair| differs(*pair)).count();
        changed as f64 / self.pixels.len() as f64
    }
}

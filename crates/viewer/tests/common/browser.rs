//! A browser without a window, for the pages.
#![allow(dead_code, reason = "not every test binary looks at pages")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// How long a browser may take; software drawing on a busy machine is slow.
const BROWSER_TIME: Duration = Duration::from_secs(60);
/// How often it is started: now and then, on a busy machine more often, a browser hangs before it has read the page.
const STARTS: u32 = 4;

/// The browser; `None`, and a line about it, where there is none and none is required.
pub(crate) fn find_chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found =
        std::env::split_paths(&path).flat_map(|dir| names.map(|n| dir.join(n))).find(|file| file.is_file());
    if found.is_none() {
        let is_required = std::env::var("DRYSTONE_REQUIRE_CHROMIUM").is_ok_and(|v| v == "1");
        assert!(
            !is_required,
            "DRYSTONE_REQUIRE_CHROMIUM=1, but neither chromium nor google-chrome is on the path"
        );
        println!("skipped: neither chromium nor google-chrome is on the path");
    }
    found
}

/// Opens the page, saves a picture of it, and checks that nothing was logged.
pub(crate) fn open(chromium: &Path, folder: &Path, page: &Path, address: &str, name: &str) -> PathBuf {
    let picture = folder.join(name);
    browse(chromium, folder, page, address, &format!("--screenshot={}", picture.display()));
    picture
}

/// A page with a script of the test's, which runs after those of the page and waits for `ready()`, `drawn()` or `sleep(ms)`; what it notes with
/// `note(name, value)` becomes an attribute `data-name` of the document.
pub(crate) fn with_script(html: &str, script: &str) -> String {
    let tools = "const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
const ready = async () => { while (!window.drystone.ready) await sleep(10); };
const note = (name, value) => (document.documentElement.dataset[name] = value);";
    html.replace("</body>", &format!("<script type=\"module\">\n{tools}\n{script}\n</script>\n</body>"))
}

/// An attribute of the root of a document.
pub(crate) fn attribute(document: &str, name: &str) -> String {
    let from = document.find(&format!("{name}=\"")).map(|at| at + name.len() + 2);
    let rest = &document[from.unwrap_or_else(|| panic!("the document has no {name}"))..];
    rest[..rest.find('"').expect("the attribute ends")].to_owned()
}

/// The page's document after it has run.
pub(crate) fn dump(chromium: &Path, folder: &Path, page: &Path, address: &str) -> String {
    browse(chromium, folder, page, address, "--dump-dom")
}

fn browse(chromium: &Path, folder: &Path, page: &Path, address: &str, action: &str) -> String {
    let (out, log) = (folder.join("stdout"), folder.join("stderr"));
    let status = (0..STARTS)
        .find_map(|start| {
            finish(chromium, &folder.join(format!("profile{start}")), page, address, action, [&out, &log])
        })
        .unwrap_or_else(|| {
            panic!("the browser took longer than {BROWSER_TIME:?} for #{address}, {STARTS} times")
        });
    let read =
        |path: &Path| String::from_utf8_lossy(&std::fs::read(path).expect("it was written")).into_owned();
    let log = read(&log);
    assert!(status.success(), "the browser failed: {log}");
    let complaints: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "logged for #{address}: {complaints:?}");
    read(&out)
}

/// How a browser ends; `None` when it does not in time.
fn finish(
    chromium: &Path,
    profile: &Path,
    page: &Path,
    address: &str,
    action: &str,
    [out, log]: [&Path; 2],
) -> Option<ExitStatus> {
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
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(action)
        .arg(format!("file://{}#{address}", page.display()))
        .stdout(file(out))
        .stderr(file(log))
        .spawn()
        .expect("the browser starts");
    let started = Instant::now();
    loop {
        if let Some(status) = browser.try_wait().expect("the browser can be waited for") {
            return Some(status);
        }
        if started.elapsed() > BROWSER_TIME {
            browser.kill().expect("the browser can be ended");
            browser.wait().expect("the browser ends");
            return None;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A folder that is removed at the end.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("drystone-{name}-{}", std::process::id()));
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
pub(crate) struct Picture {
    width: usize,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    pub(crate) fn read(path: &Path) -> Self {
        let file = std::fs::File::open(path).expect("the browser wrote a picture");
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("it is a PNG");
        let mut bytes = vec![0; reader.output_buffer_size().expect("it fits in memory")];
        let info = reader.next_frame(&mut bytes).expect("it can be read");
        let channels = info.color_type.samples();
        let pixels = bytes.chunks_exact(channels).map(|p| [p[0], p[1], p[2]]).collect();
        Self { width: info.width as usize, pixels }
    }

    pub(crate) fn color_count(&self) -> usize {
        let mut colours = self.pixels.clone();
        colours.sort_unstable();
        colours.dedup();
        colours.len()
    }

    /// Width and height of the box around the pixels that are meant.
    pub(crate) fn extent(&self, is_meant: impl Fn([u8; 3]) -> bool) -> [usize; 2] {
        let meant = self.pixels.iter().enumerate().filter(|(_, pixel)| is_meant(**pixel));
        let places: Vec<[usize; 2]> = meant.map(|(at, _)| [at % self.width, at / self.width]).collect();
        [0, 1].map(|axis| {
            let along = || places.iter().map(|place| place[axis]);
            along().max().map_or(0, |most| most + 1) - along().min().unwrap_or(0)
        })
    }

    pub(crate) fn share_changed(&self, other: &Self) -> f64 {
        assert_eq!(self.pixels.len(), other.pixels.len());
        let differs = |(a, b): (&[u8; 3], &[u8; 3])| (0..3).any(|i| a[i].abs_diff(b[i]) > 24);
        let changed = self.pixels.iter().zip(&other.pixels).filter(|pair| differs(*pair)).count();
        changed as f64 / self.pixels.len() as f64
    }
}

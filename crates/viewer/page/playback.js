// Playing a recording: which frame is shown, and how it goes on. What a frame looks like is the player's, which adds to this
// `draw()`, its camera and canvas, the names of its colours and layers, and `readOwn()` for what the address says of these.

class Playback {
  constructor(data, look) {
    this.data = data;
    this.look = look;
    this.time = 0; // In frames, with the part between two of them.
    this.isPlaying = data.frameCount > 1;
    this.speed = 1;
    this.loop = true;
    this.isDirty = true;
    this.pictureTimes = [];
    this.counterShown = 0;
  }

  // When all is there: heeds the address, buttons, pointers and the size of the window.
  listen() {
    this.readAddress();
    this.interface = new Interface(this);
    attachPointers(this.canvas, this.camera, () => this.changed());
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    window.addEventListener("hashchange", () => this.readAddress());
  }

  readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    const number = (name, fallback) => (given.has(name) && Number.isFinite(Number(given.get(name))) ? Number(given.get(name)) : fallback);
    const flag = (name, fallback) => (given.has(name) ? given.get(name) !== "0" : fallback);
    if (this.colours.includes(given.get("color"))) this.colour = given.get("color");
    this.contacts = flag("contacts", this.contacts);
    this.readOwn(flag, number);
    this.speed = Math.min(4, Math.max(0.1, number("speed", this.speed)));
    this.camera.setZoom(number("zoom", this.camera.zoom));
    document.body.classList.toggle("no-panel", !flag("panel", window.innerWidth >= 760));
    this.probe = number("probe", -1);
    if (given.has("f")) this.setFrame(number("f", 0));
    this.changed();
  }

  resize() {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    // Beside its size: a canvas may begin with the one that it shall have.
    this.camera.aspect = width / height;
    if (this.canvas.width !== width || this.canvas.height !== height) {
      [this.canvas.width, this.canvas.height] = [width, height];
      // At once: a resized canvas is empty until it is drawn.
      this.draw();
    }
  }

  changed() {
    this.isDirty = true;
  }

  set(name, value) {
    this[name] = value;
    this.changed();
  }

  setFrame(frame) {
    this.time = Math.min(this.data.frameCount - 1, Math.max(0, Math.round(frame)));
    this.isPlaying = false;
    this.changed();
  }

  // The time in frames that is shown: while the last frame stays, time goes on behind it.
  shownTime() {
    return Math.min(this.time, this.data.frameCount - 1);
  }

  step(count) {
    this.setFrame(Math.round(this.shownTime()) + count);
  }

  playOrPause() {
    const isAtEnd = this.time >= this.data.frameCount - 1;
    if (this.isPlaying) {
      // At a frame: contacts and colours are those of frames, and bodies between two would be beside them.
      this.setFrame(this.shownTime());
      return;
    }
    if (isAtEnd) this.time = 0;
    this.isPlaying = this.data.frameCount > 1;
    this.changed();
  }

  advance(seconds) {
    if (!this.isPlaying) return;
    const last = this.data.frameCount - 1;
    this.time += (seconds * this.speed) / this.data.head.meta.frame_dt;
    if (this.time >= last) {
      // The last frame stays for half a second before it starts again.
      const pause = 0.5 / this.data.head.meta.frame_dt;
      if (!this.loop) [this.time, this.isPlaying] = [last, false];
      else if (this.time > last + pause) this.time = 0;
    }
    this.changed();
  }

  ramp(share) {
    const { ramp } = this.look;
    const place = Math.sqrt(Math.min(1, Math.max(0, share))) * (ramp.length - 1);
    const low = Math.min(Math.floor(place), ramp.length - 2);
    return [0, 1, 2].map((i) => ramp[low][i] + (ramp[low + 1][i] - ramp[low][i]) * (place - low));
  }

  count(now) {
    this.pictureTimes.push(now);
    while (this.pictureTimes.length > 1 && now - this.pictureTimes[0] > 1000) this.pictureTimes.shift();
    const pictures = this.pictureTimes.length - 1;
    if (pictures < 5) return;
    const interval = (now - this.pictureTimes[0]) / pictures;
    if (now - this.counterShown < 250) return;
    this.counterShown = now;
    byId("counter").textContent = `${interval.toFixed(1)} ms · ${(1000 / interval).toFixed(0)} fps`;
  }

  run() {
    let before = performance.now();
    const loop = (now) => {
      this.advance(Math.min(0.1, Math.max(0, now - before) / 1000));
      before = now;
      if (this.isDirty) {
        this.isDirty = false;
        this.draw();
        this.count(now);
      }
      requestAnimationFrame(loop);
    };
    this.resize();
    requestAnimationFrame(loop);
  }
}

// Errors are noted on the document, where a test or a curious person can see them.
function noteError(error) {
  const root = document.documentElement.dataset;
  root.errors = `${root.errors}${error};`;
}
window.addEventListener("error", (event) => noteError(event.message));
window.addEventListener("unhandledrejection", (event) => noteError(event.reason));

window.drystone = { frame: 0, frames: 0, ready: false, setFrame: () => {} };

// Unpacks what is embedded and plays it.
async function start(decode, makePlayer) {
  if (typeof DecompressionStream === "undefined")
    throw new Error("This browser is too old to unpack the recording (it lacks DecompressionStream).");
  const look = JSON.parse(byId("look").textContent);
  const embedded = byId("recording");
  const data = await decode(embedded.textContent, (share) => (document.querySelector("progress").value = share));
  embedded.remove();
  if (data.frameCount === 0) throw new Error("This recording has no frames.");
  const player = makePlayer(data, look);
  player.run();
  showMessage(null);
  window.drystone = {
    get frame() {
      return Math.round(player.shownTime());
    },
    frames: data.frameCount,
    ready: true,
    setFrame: (n) => player.setFrame(n),
  };
  document.documentElement.dataset.ready = "true";
}

function begin(decode, makePlayer) {
  start(decode, makePlayer).catch((error) => {
    showMessage(error.message);
    noteError(error.message);
  });
}
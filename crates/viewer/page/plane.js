// The player of the plane: bodies as outlines on a 2D canvas, contacts and the quad-tree's cut as layers.
//
// After the "#" the address may say: f (frame to stop at), color (body, sleeping, worker, speed), contacts, cells, panel (0 or 1),
// speed, zoom, probe (a body whose place goes into the attribute data-probe of the document, for tests).

const BODY_FLOATS = 4;
const CONTACT_FLOATS = 5;
const CELL_FLOATS = 4;
// Colour of what belongs to the master.
const MASTER = [150, 158, 170];

// The recording of a plane: a head as JSON and numbers; see src/plane/mod.rs.
async function decodePlane(text, progress) {
  const bytes = await unpack(bytesOfBase64(text.trim()));
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  // Numbers begin at a multiple of four.
  const floats = new Float32Array(bytes.buffer, 4 + length + ((4 - (length % 4)) % 4));
  const bodyCount = head.bodies.length;
  const frames = [];
  let at = 0;
  const take = (count) => floats.subarray(at, (at += count));
  for (const [contacts, cells] of head.counts)
    frames.push({
      bodies: take(BODY_FLOATS * bodyCount),
      contacts: take(CONTACT_FLOATS * contacts),
      cells: take(CELL_FLOATS * cells),
      values: take(head.meta.series.length),
    });
  progress(1);
  const series = head.meta.series.map((info, i) => ({ info, values: Float32Array.from(frames, (f) => f.values[i]) }));
  return { head, frames, series, bodyCount, frameCount: frames.length };
}

// What of the plane is seen: a centre, and how many metres fit between the nearer edges.
class PlaneCamera {
  constructor(view) {
    this.view = view;
    this.height = 1;
    this.reset();
  }

  reset() {
    [this.x, this.y] = this.view.center;
    this.zoom = 1;
  }

  fit(width, height, ratio) {
    this.height = height / ratio;
    this.scale = Math.min(width / this.view.size[0], (height - 90 * ratio) / this.view.size[1]) * this.zoom;
    // The controls cover the lower edge.
    this.origin = [width / 2, height / 2 - 15 * ratio];
    this.metresPerHeight = height / this.scale;
  }

  pan(dx, dy) {
    this.x -= dx * this.metresPerHeight;
    this.y += dy * this.metresPerHeight;
  }

  // Dragging without a key; pixels times 0.35 (pointers.js).
  turn(dx, dy) {
    this.pan(dx / 0.35 / this.height, dy / 0.35 / this.height);
  }

  setZoom(zoom) {
    this.zoom = Math.min(1000, Math.max(0.1, zoom));
  }

  zoomBy(factor) {
    this.setZoom(this.zoom * factor);
  }
}

class PlanePlayer extends Playback {
  constructor(data, look) {
    super(data, look);
    const { head } = data;
    this.hasWorkers = head.workers > 0;
    this.colours = ["body", "sleeping", ...(this.hasWorkers ? ["worker"] : []), "speed"];
    this.toggles = { contacts: "Contacts", ...(this.hasWorkers ? { cells: "Partition" } : {}) };
    this.colour = "body";
    this.contacts = false;
    this.cells = this.hasWorkers;
    this.camera = new PlaneCamera(head.view);
    this.canvas = byId("view");
    this.pen = this.canvas.getContext("2d");
    this.outlines = head.bodies.map((body) => outlineOf(body.shapes));
    this.tints = head.bodies.map((body, i) => (body.fixed ? 1 : 0.8 + 0.3 * ((i * 0.618034) % 1)));
    this.findTopSpeed();
    this.listen();
  }

  readOwn(flag) {
    this.cells = this.hasWorkers && flag("cells", this.cells);
  }

  // Speeds come from the way between two frames.
  speedOf(frame, body) {
    const { frames, head } = this.data;
    const next = Math.min(frame + 1, frames.length - 1);
    const [a, b] = [frames[Math.max(0, next - 1)].bodies, frames[next].bodies];
    const at = BODY_FLOATS * body;
    return Math.hypot(b[at] - a[at], b[at + 1] - a[at + 1]) / head.meta.frame_dt;
  }

  findTopSpeed() {
    this.topSpeed = 1e-6;
    for (let f = 0; f + 1 < this.data.frameCount; f++)
      for (let b = 0; b < this.data.bodyCount; b++) this.topSpeed = Math.max(this.topSpeed, this.speedOf(f, b));
  }

  isAsleep(frame, body) {
    return this.data.frames[frame].bodies[BODY_FLOATS * body + 3] % 2 === 1;
  }

  // Who works on a body: 0 for nobody or the master, 1 and more for workers.
  workerOf(frame, body) {
    return Math.floor(this.data.frames[frame].bodies[BODY_FLOATS * body + 3] / 2);
  }

  workerColour(worker) {
    return worker === 0 ? MASTER : this.look.palette[(worker - 1) % this.look.palette.length];
  }

  bodyColour(frame, body) {
    const { look } = this;
    const isAsleep = this.isAsleep(frame, body);
    if (this.data.head.bodies[body].fixed) return look.fixed;
    if (this.colour === "sleeping") return isAsleep ? look.asleep : look.awake;
    if (this.colour === "speed") return this.ramp(this.speedOf(frame, body) / this.topSpeed);
    const hue = this.colour === "worker" ? this.workerColour(this.workerOf(frame, body)) : look.palette[body % look.palette.length];
    // Sleepers are shaded whatever colours mean.
    const light = this.tints[body] * (isAsleep ? 0.45 : 1);
    return hue.map((c) => Math.min(255, Math.round(c * light)));
  }

  // Place of a body at a time: x, y, angle.
  placeOf(time, body) {
    const { frames } = this.data;
    const from = Math.floor(time);
    const part = time - from;
    const at = BODY_FLOATS * body;
    const a = frames[from].bodies;
    const b = frames[Math.min(from + 1, frames.length - 1)].bodies;
    const mix = (k) => a[at + k] + (b[at + k] - a[at + k]) * part;
    const turn = b[at + 2] - a[at + 2];
    const shorter = turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
    return [mix(0), mix(1), a[at + 2] + shorter * part];
  }

  draw() {
    const time = this.shownTime();
    const frame = Math.round(time);
    const { pen, canvas, camera } = this;
    const ratio = canvas.width / (canvas.clientWidth || 1);
    camera.fit(canvas.width, canvas.height, ratio);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = css(this.look.backdrop[0]);
    pen.fillRect(0, 0, canvas.width, canvas.height);
    // From here on in metres, y upwards.
    const { scale } = camera;
    const base = [scale, 0, 0, -scale, camera.origin[0] - scale * camera.x, camera.origin[1] + scale * camera.y];
    if (this.cells) this.drawCells(frame, base, ratio, true);
    this.drawBodies(time, frame, base, ratio);
    if (this.cells) this.drawCells(frame, base, ratio, false);
    if (this.contacts) this.drawContacts(frame, base, ratio);
    this.interface.show();
    const root = document.documentElement.dataset;
    root.frame = frame;
    if (this.probe >= 0) root.probe = this.placeOf(time, this.probe).join(" ");
  }

  drawBodies(time, frame, base, ratio) {
    const { pen, camera } = this;
    for (let body = 0; body < this.data.bodyCount; body++) {
      const [x, y, angle] = this.placeOf(time, body);
      pen.setTransform(...base);
      pen.translate(x, y);
      pen.rotate(angle);
      const colour = this.bodyColour(frame, body);
      pen.fillStyle = css(colour);
      pen.strokeStyle = css(colour.map((c) => Math.round(0.55 * c)));
      pen.lineWidth = ratio / camera.scale;
      const { path, spokes } = this.outlines[body];
      pen.fill(path);
      pen.stroke(path);
      if (spokes) pen.stroke(spokes);
    }
  }

  // The squares of the cut: fields behind the bodies, borders in front of them.
  drawCells(frame, base, ratio, isField) {
    const { pen, camera } = this;
    const { cells } = this.data.frames[frame];
    pen.setTransform(...base);
    pen.lineWidth = (1.5 * ratio) / camera.scale;
    for (let at = 0; at < cells.length; at += CELL_FLOATS) {
      const [x, y, half, worker] = cells.subarray(at, at + CELL_FLOATS);
      const colour = this.workerColour(worker);
      if (isField) {
        pen.fillStyle = `rgba(${colour.join(",")},0.13)`;
        pen.fillRect(x - half, y - half, 2 * half, 2 * half);
      } else {
        pen.strokeStyle = `rgba(${colour.join(",")},0.8)`;
        const inset = pen.lineWidth;
        pen.strokeRect(x - half + inset, y - half + inset, 2 * (half - inset), 2 * (half - inset));
      }
    }
  }

  drawContacts(frame, base, ratio) {
    const { pen, camera } = this;
    const { contacts } = this.data.frames[frame];
    let largest = 1e-12;
    for (let at = 4; at < contacts.length; at += CONTACT_FLOATS) largest = Math.max(largest, contacts[at]);
    const reach = this.camera.view.size[1];
    pen.setTransform(...base);
    pen.lineWidth = (1.5 * ratio) / camera.scale;
    pen.strokeStyle = pen.fillStyle = css(this.look.contact);
    const dot = (2.2 * ratio) / camera.scale;
    for (let at = 0; at < contacts.length; at += CONTACT_FLOATS) {
      const [x, y, nx, ny, impulse] = contacts.subarray(at, at + CONTACT_FLOATS);
      const length = 0.06 * reach * Math.sqrt(Math.max(0, impulse / largest));
      pen.beginPath();
      pen.moveTo(x - nx * length, y - ny * length);
      pen.lineTo(x + nx * length, y + ny * length);
      pen.stroke();
      pen.beginPath();
      pen.arc(x, y, dot, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  legend(frame) {
    const { data, look } = this;
    const { bodies } = data.head;
    const count = (test) => bodies.reduce((sum, body, b) => sum + (!body.fixed && test(b) ? 1 : 0), 0);
    const asleep = { colour: look.asleep, name: "asleep", count: count((b) => this.isAsleep(frame, b)) };
    const fixed = bodies.some((b) => b.fixed) ? [{ colour: look.fixed, name: "not moved by contacts" }] : [];
    if (this.colour === "sleeping")
      return [{ colour: look.awake, name: "awake", count: count((b) => !this.isAsleep(frame, b)) }, asleep, ...fixed];
    if (this.colour === "speed")
      return [{ ramp: look.ramp }, { name: "0 (√ scale)", count: `${brief(this.topSpeed)} m/s` }, ...fixed];
    if (this.colour === "worker") {
      const rows = [];
      for (let w = 1; w <= data.head.workers; w++)
        rows.push({ colour: this.workerColour(w), name: `worker ${w}`, count: count((b) => this.workerOf(frame, b) === w) });
      const rest = count((b) => this.workerOf(frame, b) === 0);
      return [...rows, { colour: MASTER, name: "master", count: rest }, ...fixed];
    }
    return [{ name: "asleep are dark", count: asleep.count }, ...fixed];
  }
}

// The outline of shapes, and for circles a spoke that shows how they turn.
function outlineOf(shapes) {
  const path = new Path2D();
  let spokes = null;
  for (const { corners, radius } of shapes) {
    const first = corners[0];
    if (corners.length === 1) {
      path.moveTo(first[0] + radius, first[1]);
      path.arc(first[0], first[1], radius, 0, 2 * Math.PI);
      spokes ??= new Path2D();
      spokes.moveTo(...first);
      spokes.lineTo(first[0] + radius, first[1]);
    } else if (radius > 0) {
      const [a, b] = corners;
      const angle = Math.atan2(b[1] - a[1], b[0] - a[0]);
      path.moveTo(a[0] + radius * Math.cos(angle + Math.PI / 2), a[1] + radius * Math.sin(angle + Math.PI / 2));
      path.arc(a[0], a[1], radius, angle + Math.PI / 2, angle - Math.PI / 2);
      path.arc(b[0], b[1], radius, angle - Math.PI / 2, angle + Math.PI / 2);
      path.closePath();
    } else {
      path.moveTo(...first);
      for (const corner of corners.slice(1)) path.lineTo(...corner);
      path.closePath();
    }
  }
  return { path, spokes };
}

begin(decodePlane, (data, look) => new PlanePlayer(data, look));

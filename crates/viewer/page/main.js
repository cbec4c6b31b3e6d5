// The player: which frame is shown and how, and what is drawn of it.
//
// After the "#" the address may say: f (frame to stop at), color (material, sleeping, island, speed),
// contacts, walls, shadows, panel (0 or 1), speed, az, el (camera, degrees), zoom, probe (a body whose pose
// goes into the attribute data-probe of the document, for tests).

class Player extends Playback {
  constructor(data, look) {
    super(data, look);
    this.colours = ["material", "sleeping", "island", "speed"];
    this.toggles = { contacts: "Contacts", walls: "Walls", shadows: "Shadows" };
    this.colour = "material";
    this.contacts = false;
    this.walls = true;
    this.shadows = true;
    this.camera = new OrbitCamera(look.framing, look);
    this.canvas = byId("view");
    this.prepareParts();
    this.makeDrawer();
    this.listenForLoss();
    if (this.outlines.length === 0) delete this.toggles.walls;
    this.listen();
  }

  // Sorts what bodies are made of into batches of equal meshes, floors, and outlines of hidden bodies.
  prepareParts() {
    const { head } = this.data;
    const shapes = head.shapes.map(shapeOf);
    const batches = new Map();
    this.floorParts = [];
    this.outlines = [];
    head.bodies.forEach((body, index) => {
      for (const part of body.parts) {
        const shape = shapes[part.shape];
        const entry = { body: index, part, shape };
        const isAtOrigin = part.position.every((c) => c === 0) && part.rotation[3] === 1;
        entry.isAtOrigin = isAtOrigin;
        if (body.hidden) {
          const box = localBox(shape);
          if (box) this.outlines.push({ ...entry, edges: boxEdges(box) });
        } else if (shape.name === "Plane") {
          this.floorParts.push(entry);
        } else {
          const key = shape.key ?? part.shape;
          if (!batches.has(key)) batches.set(key, { mesh: shape.mesh(), entries: [] });
          batches.get(key).entries.push(entry);
        }
      }
    });
    this.entries = [...batches.values()].flatMap((b) => b.entries);
    this.batches = [...batches.values()].map((b) => ({ mesh: b.mesh, count: b.entries.length }));
    this.instances = new Float32Array(this.entries.length * INSTANCE_FLOATS);
    this.instanceColours = new Uint32Array(this.instances.buffer);
    this.materials = [...new Set(head.bodies.filter((b) => !b.fixed && !b.hidden).map((b) => b.material))];
    const rank = new Map(this.materials.map((m, i) => [m, i]));
    this.materialColours = head.bodies.map((b) => this.look.palette[(rank.get(b.material) ?? 0) % this.look.palette.length]);
    // A factor per body, so that equal neighbours stay apart; about the square root of the rasteriser's,
    // because it is applied before colours become linear.
    this.tints = head.bodies.map((b, i) => (b.fixed ? 1 : Math.pow(0.9 + 0.2 * ((i * 0.618034) % 1), 1 / 2.2)));
    this.poses = new Float32Array(this.data.bodyCount * 7);
    this.present = new Uint8Array(this.data.bodyCount);
  }

  makeDrawer() {
    this.drawer = new Drawer(this.canvas, this.look.framing, this.look);
    this.drawer.setBatches(this.batches);
  }

  // The browser may take back what is drawn with, and give it again: all of it is made anew then.
  listenForLoss() {
    this.canvas.addEventListener("webglcontextlost", (event) => {
      // Or it would not be given again.
      event.preventDefault();
      this.drawer = null;
      showMessage("The browser has taken back what this page draws with. It goes on when it is given again; if that takes long, reload the page.");
    });
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.makeDrawer();
      showMessage(null);
      this.changed();
    });
  }

  readOwn(flag, number) {
    this.walls = flag("walls", this.walls);
    this.shadows = flag("shadows", this.shadows);
    this.camera.azimuth = number("az", this.camera.azimuth);
    this.camera.elevation = Math.min(89, Math.max(-89, number("el", this.camera.elevation)));
  }

  // Poses at the current time into this.poses: position (3) and rotation (4) per body.
  updatePoses(time) {
    const { data, poses, present } = this;
    const n = data.bodyCount;
    const from = Math.floor(time) * n;
    const part = time - Math.floor(time);
    const to = part > 0 ? from + n : from;
    const step = data.head.grid.step;
    const [px, py, pz] = data.positions;
    const [qx, qy, qz, qw] = data.rotations;
    for (let b = 0; b < n; b++) {
      const i = from + b;
      let j = to + b;
      present[b] = data.flags[i] & REMOVED ? 0 : 1;
      if (data.flags[j] & REMOVED) j = i;
      const at = b * 7;
      poses[at] = (px[i] + (px[j] - px[i]) * part) * step;
      poses[at + 1] = (py[i] + (py[j] - py[i]) * part) * step;
      poses[at + 2] = (pz[i] + (pz[j] - pz[i]) * part) * step;
      // Along the shorter way; the encoder made signs agree except across chunks.
      const same = qx[i] * qx[j] + qy[i] * qy[j] + qz[i] * qz[j] + qw[i] * qw[j];
      const [u, v] = [1 - part, same < 0 ? -part : part];
      const [x, y, z, w] = [qx[i] * u + qx[j] * v, qy[i] * u + qy[j] * v, qz[i] * u + qz[j] * v, qw[i] * u + qw[j] * v];
      const size = 1 / (Math.sqrt(x * x + y * y + z * z + w * w) || 1);
      poses[at + 3] = x * size;
      poses[at + 4] = y * size;
      poses[at + 5] = z * size;
      poses[at + 6] = w * size;
    }
  }

  bodyColour(body, index) {
    const { data, look } = this;
    if (data.head.bodies[body].fixed) return look.fixed;
    if (this.colour === "sleeping") return data.flags[index] & ASLEEP ? look.asleep : look.awake;
    if (this.colour === "speed") return this.ramp(floatOfHalf(data.speeds[index]) / Math.max(data.head.top_speed, 1e-6));
    if (this.colour === "island") {
      const island = data.islands[index];
      if (island === NO_ISLAND) return look.ungrouped;
      return look.palette[(Math.imul(island, 2654435761) >>> 16) % look.palette.length];
    }
    return this.materialColours[body];
  }

  // The pose of a part: [position, rotation].
  partPose({ body, part }) {
    const at = body * 7;
    const p = [...this.poses.subarray(at, at + 3)];
    const q = [...this.poses.subarray(at + 3, at + 7)];
    const r = part.rotation;
    const rotation = [
      q[3] * r[0] + q[0] * r[3] + q[1] * r[2] - q[2] * r[1],
      q[3] * r[1] - q[0] * r[2] + q[1] * r[3] + q[2] * r[0],
      q[3] * r[2] + q[0] * r[1] - q[1] * r[0] + q[2] * r[3],
      q[3] * r[3] - q[0] * r[0] - q[1] * r[1] - q[2] * r[2],
    ];
    return [add3(p, rotate3(q, part.position)), rotation];
  }

  updateInstances(frame) {
    const { data, poses, instances, instanceColours } = this;
    const first = frame * data.bodyCount;
    const colours = new Uint32Array(data.bodyCount);
    for (let b = 0; b < data.bodyCount; b++) {
      const [red, green, blue] = this.bodyColour(b, first + b).map((c) => Math.min(255, Math.round(c * this.tints[b])));
      const opacity = data.head.bodies[b].fixed ? 128 : 255;
      colours[b] = red | (green << 8) | (blue << 16) | (opacity << 24);
    }
    this.entries.forEach((entry, index) => {
      const at = index * INSTANCE_FLOATS;
      if (entry.isAtOrigin) {
        const from = entry.body * 7;
        for (let i = 0; i < 3; i++) instances[at + i] = poses[from + i];
        for (let i = 0; i < 4; i++) instances[at + 4 + i] = poses[from + 3 + i];
      } else {
        const [position, rotation] = this.partPose(entry);
        instances.set(position, at);
        instances.set(rotation, at + 4);
      }
      instanceColours[at + 3] = colours[entry.body];
      const isPresent = this.present[entry.body];
      for (let i = 0; i < 4; i++) instances[at + 8 + i] = isPresent ? entry.shape.size[i] : 0;
    });
  }

  lineData(frame) {
    const lines = [];
    if (this.walls)
      for (const outline of this.outlines) {
        if (!this.present[outline.body]) continue;
        const [position, rotation] = this.partPose(outline);
        for (const edge of outline.edges)
          lines.push([...edge.map((p) => add3(position, rotate3(rotation, p))), this.look.outline, 130, 1]);
      }
    const contacts = this.contacts ? this.data.contacts(frame, () => this.changed()) : null;
    if (contacts) {
      const largest = contacts.reduce((m, c) => Math.max(m, c.impulse), 1e-12);
      const { reach } = this.look.framing;
      for (const { point, normal, impulse } of contacts) {
        const size = reach * (0.012 + 0.09 * Math.sqrt(Math.max(0, impulse / largest)));
        lines.push([point, add3(point, scale3(normal, size)), this.look.contact, 240, 1]);
        lines.push([point, point, this.look.contact, 255, 3]);
      }
    }
    const ratio = this.canvas.width / (this.canvas.clientWidth || 1);
    const floats = new Float32Array(lines.length * LINE_FLOATS);
    const words = new Uint32Array(floats.buffer);
    lines.forEach(([from, to, colour, opacity, width], index) => {
      const at = index * LINE_FLOATS;
      floats.set(from, at);
      floats.set(to, at + 3);
      words[at + 6] = colour[0] | (colour[1] << 8) | (colour[2] << 16) | (opacity << 24);
      floats[at + 7] = width * ratio;
    });
    return floats;
  }

  // What colours mean, as rows for the legend.
  legend(frame) {
    const { data, look } = this;
    const first = frame * data.bodyCount;
    const bodies = data.head.bodies;
    const count = (test) => bodies.reduce((sum, body, b) => sum + (!body.fixed && !(data.flags[first + b] & REMOVED) && test(body, first + b) ? 1 : 0), 0);
    const fixed = bodies.some((b) => b.fixed && !b.hidden) ? [{ colour: look.fixed, name: "fixed" }] : [];
    if (this.colour === "sleeping")
      return [
        { colour: look.awake, name: "awake", count: count((_, i) => !(data.flags[i] & ASLEEP)) },
        { colour: look.asleep, name: "asleep", count: count((_, i) => data.flags[i] & ASLEEP) },
        ...fixed,
      ];
    if (this.colour === "speed")
      return [{ ramp: look.ramp }, { name: "0 (√ scale)", count: `${brief(data.head.top_speed)} m/s` }, ...fixed];
    if (this.colour === "island") {
      const islands = new Set();
      for (let b = 0; b < data.bodyCount; b++)
        if (!bodies[b].fixed && data.islands[first + b] !== NO_ISLAND) islands.add(data.islands[first + b]);
      return [
        { name: "islands", count: islands.size },
        { colour: look.ungrouped, name: "in no island", count: count((_, i) => data.islands[i] === NO_ISLAND) },
        ...fixed,
      ];
    }
    const named = this.materials.slice(0, 16).map((name, i) => ({
      colour: look.palette[i % look.palette.length],
      name: name || "unnamed",
      count: count((body) => body.material === name),
    }));
    return [...named, ...fixed];
  }

  draw() {
    const time = this.shownTime();
    const frame = Math.round(time);
    this.updatePoses(time);
    this.updateInstances(frame);
    const floors = this.floorParts
      .filter((entry) => this.present[entry.body])
      .map((entry) => {
        const [point, rotation] = this.partPose(entry);
        return { point, normal: unit3(rotate3(rotation, entry.shape.fields.normal)) };
      });
    const lines = this.lineData(frame);
    this.drawer?.draw(this.camera.view(), this.instances, floors, lines, this.shadows);
    this.interface.show();
    const root = document.documentElement.dataset;
    root.frame = frame;
    if (this.probe >= 0) root.probe = [...this.poses.subarray(this.probe * 7, this.probe * 7 + 7)].join(" ");
  }
}

begin(decodeRecording, (data, look) => new Player(data, look));

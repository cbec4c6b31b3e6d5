// Reads a recording: the same bytes as the file, whose format is described in src/recording/file.rs
// (blocks) and src/recording/codec.rs (what is in a chunk).

const NO_ISLAND = 0xffffffff;
const ASLEEP = 1;
const REMOVED = 2;

// A float from the upper half of its bits.
const halfBits = new Uint32Array(1);
const halfFloat = new Float32Array(halfBits.buffer);
function floatOfHalf(half) {
  halfBits[0] = (half & 0xffff) << 16;
  return halfFloat[0];
}

// Splits a file into its blocks: [{ tag, bytes }].
function blocksOf(bytes) {
  const text = (from, to) => String.fromCharCode(...bytes.subarray(from, to));
  const view = new DataView(bytes.buffer);
  if (text(0, 8) !== "DRYSTONE") throw new Error("the embedded data is not a recording");
  if (view.getUint32(8, true) !== 2) throw new Error(`recording format ${view.getUint32(8, true)}, expected 2`);
  const blocks = [];
  for (let at = 12; at < bytes.length; ) {
    const size = view.getUint32(at + 4, true);
    blocks.push({ tag: text(at, at + 4), bytes: bytes.subarray(at + 8, at + 8 + size) });
    at += 8 + size;
  }
  if (blocks.length < 3 || blocks[blocks.length - 1].tag !== "END ") throw new Error("the embedded recording is cut off");
  return blocks;
}

// Reads channels stored as planes of bytes.
class PlaneReader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }

  // Adds up `count` zigzag differences of `size` bytes into out[start...]; reference(i) is the index of
  // the value that value i is relative to, or -1.
  read(size, count, out, start, reference) {
    const { bytes, at } = this;
    for (let i = 0; i < count; i++) {
      let z = bytes[at + i];
      for (let plane = 1; plane < size; plane++) z |= bytes[at + plane * count + i] << (8 * plane);
      const earlier = reference(i);
      // Storing in the typed array wraps to its width, as the encoder did.
      out[start + i] = ((z >>> 1) ^ -(z & 1)) + (earlier < 0 ? 0 : out[start + earlier]);
    }
    this.at += size * count;
  }
}

// A decoded recording. Poses of all frames are held as whole numbers; contacts are decoded when asked for.
class RecordingData {
  constructor(head, seriesBytes, contactBlocks) {
    this.head = head;
    this.frameCount = head.frame_count;
    this.bodyCount = head.bodies.length;
    const total = this.frameCount * this.bodyCount;
    this.positions = [0, 1, 2].map(() => new Int32Array(total));
    this.rotations = [0, 1, 2, 3].map(() => new Int16Array(total));
    this.speeds = new Int16Array(total);
    this.islands = new Uint32Array(total);
    this.flags = new Uint8Array(total);
    const values = new Float32Array(seriesBytes.buffer, seriesBytes.byteOffset, seriesBytes.length / 4);
    this.series = head.meta.series.map((info, i) => ({
      info,
      values: values.subarray(i * this.frameCount, (i + 1) * this.frameCount),
    }));
    this.contactBlocks = contactBlocks;
    this.contactChunks = new Map();
  }

  readBodies(bytes, firstFrame, frameCount) {
    const count = frameCount * this.bodyCount;
    const start = firstFrame * this.bodyCount;
    const bodyCount = this.bodyCount;
    const earlier = (i) => i - bodyCount;
    const reader = new PlaneReader(bytes, 0);
    for (const channel of this.positions) reader.read(4, count, channel, start, earlier);
    for (const channel of this.rotations) reader.read(2, count, channel, start, earlier);
    reader.read(2, count, this.speeds, start, earlier);
    reader.read(4, count, this.islands, start, earlier);
    this.flags.set(bytes.subarray(reader.at, reader.at + count), start);
  }

  // The contacts of a frame as [{ point, normal, impulse }], or null while they are being unpacked
  // (`whenReady` is called then). The chunk that playing comes to next is unpacked along with a frame's own.
  contacts(frame, whenReady) {
    const perChunk = this.head.frames_per_chunk;
    const chunk = Math.floor(frame / perChunk);
    const next = (chunk + 1) % this.contactBlocks.length;
    // A few chunks at a time, so that memory stays small.
    for (const old of this.contactChunks.keys())
      if (Math.abs(old - chunk) > 2 && old !== next) this.contactChunks.delete(old);
    for (const wanted of [chunk, next]) this.fetchContacts(wanted, whenReady);
    const decoded = this.contactChunks.get(chunk);
    return decoded ? decoded[frame - chunk * perChunk] : null;
  }

  fetchContacts(chunk, whenReady) {
    if (this.contactChunks.has(chunk)) return;
    this.contactChunks.set(chunk, null);
    const perChunk = this.head.frames_per_chunk;
    const frameCount = Math.min(perChunk, this.frameCount - chunk * perChunk);
    unpack(this.contactBlocks[chunk]).then((bytes) => {
      this.contactChunks.set(chunk, this.readContacts(bytes, frameCount));
      whenReady();
    });
  }

  readContacts(bytes, frameCount) {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const frames = [];
    const references = [];
    let before = 0;
    let beforeCount = 0;
    for (let f = 0; f < frameCount; f++) {
      const kept = view.getUint32(8 * f, true);
      const first = references.length;
      for (let i = 0; i < kept; i++) references.push(i < beforeCount ? before + i : -1);
      frames.push([first, kept]);
      before = first;
      beforeCount = kept;
    }
    const count = references.length;
    const reader = new PlaneReader(bytes, 8 * frameCount);
    const channel = (Type, size) => {
      const out = new Type(count);
      reader.read(size, count, out, 0, (i) => references[i]);
      return out;
    };
    const points = [0, 1, 2].map(() => channel(Int32Array, 4));
    const normals = [0, 1, 2].map(() => channel(Int8Array, 1));
    channel(Int16Array, 2); // Depths are not drawn.
    const impulses = channel(Int16Array, 2);
    const step = this.head.grid.step;
    return frames.map(([first, kept]) =>
      Array.from({ length: kept }, (_, k) => {
        const i = first + k;
        const n = [normals[0][i], normals[1][i], normals[2][i]];
        const size = Math.hypot(...n) || 1;
        return {
          point: [points[0][i] * step, points[1][i] * step, points[2][i] * step],
          normal: n.map((c) => c / size),
          impulse: floatOfHalf(impulses[i]),
        };
      }),
    );
  }
}

async function decodeRecording(base64, onProgress) {
  const blocks = blocksOf(bytesOfBase64(base64));
  const head = JSON.parse(new TextDecoder().decode(await unpack(blocks[0].bytes.subarray(4))));
  const seriesBytes = await unpack(blocks[1].bytes);
  const chunks = blocks.slice(2, -1);
  const data = new RecordingData(head, seriesBytes, chunks.filter((b) => b.tag === "CONT").map((b) => b.bytes));
  const bodies = chunks.filter((b) => b.tag === "BODY");
  for (let c = 0; c < bodies.length; c++) {
    const first = c * head.frames_per_chunk;
    const frameCount = Math.min(head.frames_per_chunk, head.frame_count - first);
    data.readBodies(await unpack(bodies[c].bytes), first, frameCount);
    onProgress((c + 1) / bodies.length);
  }
  return data;
}

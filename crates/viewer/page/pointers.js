// Mouse, pen and touch: one pointer orbits (shift or another button pans), two pan and zoom.
function attachPointers(canvas, camera, onChange) {
  const pointers = new Map();
  const middle = () => {
    const all = [...pointers.values()];
    const x = all.reduce((s, p) => s + p.x, 0) / all.length;
    const y = all.reduce((s, p) => s + p.y, 0) / all.length;
    const spread = all.length > 1 ? Math.hypot(all[0].x - all[1].x, all[0].y - all[1].y) : 0;
    return { x, y, spread };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    canvas.classList.add("dragging");
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    const before = middle();
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const after = middle();
    const height = canvas.clientHeight || 1;
    const [dx, dy] = [after.x - before.x, after.y - before.y];
    if (pointers.size > 1) {
      camera.pan(dx / height, dy / height);
      if (before.spread > 0) camera.zoomBy(after.spread / before.spread);
    } else if (event.shiftKey || event.buttons & 6) {
      camera.pan(dx / height, dy / height);
    } else {
      camera.turn(dx * 0.35, dy * 0.35);
    }
    onChange();
  });
  const release = (event) => {
    pointers.delete(event.pointerId);
    if (pointers.size === 0) canvas.classList.remove("dragging");
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", () => {
    camera.reset();
    onChange();
  });
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? event.deltaY * 20 : event.deltaY;
      camera.zoomBy(Math.exp(-Math.min(200, Math.max(-200, lines)) * 0.0015));
      onChange();
    },
    { passive: false },
  );
}

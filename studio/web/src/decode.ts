// Numbers on the wire: base64 of little-endian float32, and of bytes.

/** The bytes of a base64 text; throws if the text is not base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64), out = new Uint8Array(text.length);
  for (let i = 0; i < out.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

/** The floats of a base64 text of little-endian float32; throws if the bytes are not a multiple of four. */
export function floatsOf(base64: string): Float32Array {
  const bytes = bytesOf(base64);
  if (bytes.length % 4 !== 0) throw new Error(`${bytes.length} bytes are not a whole number of float32`);
  const view = new DataView(bytes.buffer), out = new Float32Array(bytes.length / 4);
  for (let i = 0; i < out.length; i++) out[i] = view.getFloat32(4 * i, true); // DataView: right on any machine
  return out;
}

/**
 * The framing of the bus: a NATS message contains one or more frames, each with one request or one reply.
 *
 * ```
 * u32 LE  body length; the top bit marks an error reply
 * u32 LE  request id, unique among the open requests of a process
 * f64 LE  absolute deadline, milliseconds since the epoch
 * bytes   body
 * ```
 */
export interface Frame {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly deadlineMs: number;
  readonly body: Uint8Array;
  /** Replies only: the body is an encoded error instead of a value. */
  readonly isError: boolean;
}

export const frameHeaderBytes = 16;

/** The latest time that a `Date` can represent; a later deadline is a bug in the peer. */
const latestMs = 8.64e15;
const errorBit = 0x8000_0000;
const lengthMask = 0x7fff_ffff;

/** Thrown when the bytes of a message are not valid frames. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

export function encodeFrames(frames: readonly Frame[]): Buffer {
  let total = 0;
  for (const frame of frames) total += frameHeaderBytes + frame.body.length;
  const bytes = Buffer.allocUnsafe(total);
  let offset = 0;
  for (const { id, deadlineMs, body, isError } of frames) {
    bytes.writeUInt32LE(isError ? body.length + errorBit : body.length, offset);
    bytes.writeUInt32LE(id, offset + 4);
    bytes.writeDoubleLE(deadlineMs, offset + 8);
    bytes.set(body, offset + frameHeaderBytes);
    offset += frameHeaderBytes + body.length;
  }
  return bytes;
}

/**
 * Visits the frames of a message in order; each `body` is a view into `bytes`.
 *
 * @throws FrameError at the first invalid frame; the frames before it have already been visited.
 */
export function decodeFrames(bytes: Buffer, visit: (frame: FrameView) => void): void {
  let offset = 0;
  while (offset < bytes.length) {
    if (bytes.length - offset < frameHeaderBytes) throw new FrameError("truncated frame header");
    const lengthWord = bytes.readUInt32LE(offset);
    const id = bytes.readUInt32LE(offset + 4);
    const deadlineMs = bytes.readDoubleLE(offset + 8);
    const start = offset + frameHeaderBytes;
    const end = start + (lengthWord & lengthMask);
    if (end > bytes.length) throw new FrameError("frame is longer than its message");
    if (!(deadlineMs >= 0 && deadlineMs <= latestMs)) throw new FrameError("deadline is not a valid time");
    visit({ id, deadlineMs, body: bytes.subarray(start, end), isError: lengthWord >= errorBit });
    offset = end;
  }
}

/** The payload of a message of NATS as a Buffer, not copied. */
export function messageBytes({ data }: { readonly data: Uint8Array }): Buffer {
  return Buffer.isBuffer(data) ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

export interface FrameView extends Frame {
  readonly body: Buffer;
}

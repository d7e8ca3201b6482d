import type { Msg } from "@nats-io/transport-node";

/** The payload as a Buffer, not copied. */
export function messageBytes({ data }: Msg): Buffer {
  return Buffer.isBuffer(data) ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

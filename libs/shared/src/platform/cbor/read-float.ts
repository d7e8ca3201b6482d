/** Half precision (RFC 8949, Appendix D). */
function fromHalf(half: number): number {
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  const sign = half & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (fraction + 0x400) * 2 ** (exponent - 25);
}

/** A big-endian IEEE 754 number of 2, 4 or 8 bytes. */
export function readFloat(bytes: Buffer, offset: number, size: number): number {
  switch (size) {
    case 2:
      return fromHalf(bytes.readUInt16BE(offset));
    case 4:
      return bytes.readFloatBE(offset);
    default:
      return bytes.readDoubleBE(offset);
  }
}

import { numberOf } from "./number-set.ts";

const digitZero = 48;
const dot = 46;

/** A part of an address with one more digit; -1 if there is none. A leading zero has no single meaning. */
function withDigit(part: number, digit: number): number {
  if (digit < 0 || digit > 9 || part === 0) return -1;
  const value = part < 0 ? digit : part * 10 + digit;
  return value > 255 ? -1 : value;
}

/** The IPv4 address between two places of a text, as a number; -1 for anything that is not in the usual form. */
export function ipv4At(text: string, from: number, to: number): number {
  if (to - from < 7 || to - from > 15) return -1;
  let bits = 0;
  let part = -1;
  let dots = 0;
  for (let index = from; index < to; index += 1) {
    const code = text.charCodeAt(index);
    if (code === dot) {
      if (part < 0) return -1;
      bits = bits * 256 + part;
      part = -1;
      dots += 1;
    } else {
      part = withDigit(part, code - digitZero);
      if (part < 0) return -1;
    }
  }
  return dots === 3 && part >= 0 ? bits * 256 + part : -1;
}

/** The number of the network of an IPv4 address. */
export function ipv4Network(address: number, length: number): number {
  const size = 2 ** (32 - Math.min(length, 32));
  return Math.floor(address / size) * size * 64 + Math.min(length, 32) + 1;
}

/** The number of a network in the form of `networkOf`: exact for IPv4. */
export function networkNumber(network: string): number {
  const slash = network.indexOf("/");
  const address = ipv4At(network, 0, slash < 0 ? network.length : slash);
  if (address < 0) return numberOf(network);
  return ipv4Network(address, slash < 0 ? 32 : Number(network.slice(slash + 1)));
}

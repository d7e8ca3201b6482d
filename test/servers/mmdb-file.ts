/** A value of a record. Whole numbers are written as uint32, others as double. */
export type MmdbValue = string | number | { readonly [key: string]: MmdbValue };

type Child = Node | { readonly at: number } | undefined;
interface Node {
  left: Child;
  right: Child;
}

const separatorBytes = 16;

function sized(type: number, size: number): Buffer {
  if (size < 29) return Buffer.from([(type << 5) | size]);
  if (size < 285) return Buffer.from([(type << 5) | 29, size - 29]);
  throw new RangeError("longer values are not needed");
}

/** The data section of https://maxmind.github.io/MaxMind-DB/, without pointers. */
function encode(value: MmdbValue): Buffer {
  if (typeof value === "string") {
    const text = Buffer.from(value);
    return Buffer.concat([sized(2, text.length), text]);
  }
  if (typeof value === "number") {
    const bytes = Buffer.alloc(Number.isInteger(value) && value >= 0 ? 4 : 8);
    if (bytes.length === 4) bytes.writeUInt32BE(value);
    else bytes.writeDoubleBE(value);
    return Buffer.concat([sized(bytes.length === 4 ? 6 : 3, bytes.length), bytes]);
  }
  const entries = Object.entries(value);
  return Buffer.concat([sized(7, entries.length), ...entries.flatMap(([key, of]) => [encode(key), encode(of)])]);
}

/** IPv4 networks are at ::/96, as in MaxMind's own files. */
function bitsOf(network: string): readonly number[] {
  const [address = "", length = "32"] = network.split("/");
  const bits = address.split(".").flatMap((part) => Array.from(Number(part).toString(2).padStart(8, "0"), Number));
  return [...Array.from({ length: 96 }, () => 0), ...bits.slice(0, Number(length))];
}

function insert(root: Node, network: string, at: number): void {
  const bits = bitsOf(network);
  let node = root;
  bits.forEach((bit, index) => {
    const side = bit === 0 ? "left" : "right";
    if (index === bits.length - 1) node[side] = { at };
    else {
      const child = node[side];
      const next = child !== undefined && !("at" in child) ? child : { left: undefined, right: undefined };
      node[side] = next;
      node = next;
    }
  });
}

function nodesOf(root: Node): readonly Node[] {
  const nodes = [root];
  for (const { left, right } of nodes) {
    for (const child of [left, right]) if (child !== undefined && !("at" in child)) nodes.push(child);
  }
  return nodes;
}

/** A small file in MaxMind's format, with one record for each IPv4 network. Networks must not contain each other. */
export function mmdbFile(type: string, records: Readonly<Record<string, MmdbValue>>): Buffer {
  const root: Node = { left: undefined, right: undefined };
  const data: Buffer[] = [];
  let length = 0;
  for (const [network, value] of Object.entries(records)) {
    insert(root, network, length);
    const encoded = encode(value);
    data.push(encoded);
    length += encoded.length;
  }
  const nodes = nodesOf(root);
  const numbers = new Map(nodes.map((node, index) => [node, index]));
  const recordOf = (child: Child): number => {
    if (child === undefined) return nodes.length;
    return "at" in child ? nodes.length + separatorBytes + child.at : (numbers.get(child) ?? nodes.length);
  };
  const tree = Buffer.alloc(nodes.length * 6);
  nodes.forEach(({ left, right }, index) => {
    tree.writeUIntBE(recordOf(left), index * 6, 3);
    tree.writeUIntBE(recordOf(right), index * 6 + 3, 3);
  });
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: type,
    ip_version: 6,
    node_count: nodes.length,
    record_size: 24,
  });
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from("MaxMind.com")]);
  return Buffer.concat([tree, Buffer.alloc(separatorBytes), ...data, marker, metadata]);
}

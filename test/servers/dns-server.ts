import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";

/** What the server answers for a name: addresses, NXDOMAIN, a failure, or nothing at all. */
export type DnsAnswer = readonly string[] | "nxdomain" | "servfail" | "silence";

/** A DNS server on loopback over UDP; names without a configured answer do not exist. */
export interface DnsServer extends AsyncDisposable {
  /** In the format of `resolver.setServers`. */
  readonly address: string;
  /** The names that were queried, in lower case and in order. */
  readonly queries: readonly string[];
  /** Sets the answer for a name from now on. */
  setAnswer(name: string, answer: DnsAnswer): void;
}

interface Question {
  readonly name: string;
  readonly type: number;
  /** Offset at which the question ends in the message. */
  readonly end: number;
}

const headerBytes = 12;
const typeA = 1;
const codes = { nxdomain: 3, servfail: 2 } as const;

function readQuestion(message: Buffer): Question {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** A record whose name points to the question (RFC 1035 §4.1.4). */
function addressRecord(address: string, ttlSeconds: number): Buffer {
  const head = Buffer.from([0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4]);
  head.writeUInt32BE(ttlSeconds, 6);
  return Buffer.concat([head, Buffer.from(address.split(".").map(Number))]);
}

function reply(message: Buffer, { end, type }: Question, answer: Exclude<DnsAnswer, "silence">, ttl: number): Buffer {
  const records = typeof answer === "string" || type !== typeA ? [] : answer.map((one) => addressRecord(one, ttl));
  const head = Buffer.alloc(headerBytes);
  message.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | (typeof answer === "string" ? codes[answer] : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, message.subarray(headerBytes, end), ...records]);
}

/** @param ttlSeconds TTL of every record */
export async function startDnsServer(
  records: Readonly<Record<string, DnsAnswer>> = {},
  ttlSeconds = 300,
): Promise<DnsServer> {
  const answers = new Map(Object.entries(records));
  const queries: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (message: Buffer, peer: RemoteInfo) => {
    const question = readQuestion(message);
    queries.push(question.name);
    const answer = answers.get(question.name) ?? "nxdomain";
    if (answer !== "silence") socket.send(reply(message, question, answer, ttlSeconds), peer.port, peer.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    setAnswer: (name, answer) => void answers.set(name, answer),
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}

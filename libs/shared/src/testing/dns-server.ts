import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";

/** What the server says about a name: addresses, that there is no such name, a failure, or nothing at all. */
export type DnsAnswer = readonly string[] | "nxdomain" | "servfail" | "silence";

/** A name server on loopback that speaks UDP; names it was not told of do not exist. */
export interface DnsServer extends AsyncDisposable {
  /** As `resolver.setServers` takes it. */
  readonly address: string;
  /** The names that were asked for, in lower case, in their order. */
  readonly asked: readonly string[];
  /** Changes what is said about a name from now on. */
  tell(name: string, answer: DnsAnswer): void;
}

interface Question {
  readonly name: string;
  readonly type: number;
  /** Where the question ends in the message. */
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

/** @param ttlSeconds life of every record */
export async function startDnsServer(
  told: Readonly<Record<string, DnsAnswer>> = {},
  ttlSeconds = 300,
): Promise<DnsServer> {
  const answers = new Map(Object.entries(told));
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (message: Buffer, peer: RemoteInfo) => {
    const question = readQuestion(message);
    asked.push(question.name);
    const answer = answers.get(question.name) ?? "nxdomain";
    if (answer !== "silence") socket.send(reply(message, question, answer, ttlSeconds), peer.port, peer.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    tell: (name, answer) => void answers.set(name, answer),
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}

import { connect } from "node:net";

function field(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Asks saslauthd as `libsasl2` does: a connection for each request. Resolves to whether the password is correct. */
export function askSaslauthd(socketPath: string, username: string, password: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(socketPath);
    socket.once("error", reject);
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.once("close", () => resolve(Buffer.concat(chunks).toString("latin1", 2, 4) === "OK"));
    socket.write(Buffer.concat([field(username), field(password), field("imap"), field("")]));
  });
}

import { connect, type Socket } from "node:net";

/** Asks Dovecot's authentication server as its login processes do. */
export interface DovecotClient extends Disposable {
  /** Whether the password is correct. */
  ask(username: string, password: string): Promise<boolean>;
}

type Answered = (isRight: boolean) => void;

function handshaken(socket: Socket, onLine: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let rest = "";
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "DONE") resolve();
        else onLine(line);
      }
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("Dovecot closed the connection")));
    socket.write(`VERSION\t1\t2\nCPID\t${process.pid}\n`);
  });
}

/** Its protocol: https://doc.dovecot.org/2.3/developer_manual/design/auth_protocol/ */
export async function connectToDovecot(socketPath: string): Promise<DovecotClient> {
  const socket = connect(socketPath);
  const waiting = new Map<number, Answered>();
  let last = 0;
  await handshaken(socket, (line) => {
    const [kind, id] = line.split("\t", 2);
    if (kind !== "OK" && kind !== "FAIL") return;
    waiting.get(Number(id))?.(kind === "OK");
    waiting.delete(Number(id));
  });
  return {
    ask: (username, password) =>
      new Promise((resolve) => {
        last += 1;
        waiting.set(last, resolve);
        const response = Buffer.from(`\0${username}\0${password}`).toString("base64");
        socket.write(`AUTH\t${last}\tPLAIN\tservice=imap\tsecured\tnologin\tresp=${response}\n`);
      }),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

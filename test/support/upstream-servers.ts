import type { Socket } from "node:net";
import { startTcpServer, type TcpServer } from "./tcp-server.ts";

/** A login that a mail server behind a proxy received. */
export interface SeenLogin {
  readonly user: string;
  /** Undefined if the proxy sends only the name (XCLIENT). */
  readonly password?: string;
}

export interface UpstreamServer extends TcpServer {
  readonly logins: readonly SeenLogin[];
}

type Dialogue = (line: string, say: (answer: string) => void, seen: (login: SeenLogin) => void) => void;

/** IMAP with the literals that nginx sends: LOGIN {n}, user {n}, password. */
function imap(): Dialogue {
  let tag = "";
  let user: string | undefined;
  return (line, say, seen) => {
    const login = /^(\S+) LOGIN \{\d+\}$/.exec(line);
    if (login !== null) {
      tag = login[1] ?? "";
      user = undefined;
      say("+ go on");
    } else if (user === undefined) {
      user = line.replace(/ \{\d+\}$/, "");
      say("+ go on");
    } else {
      seen({ user, password: line });
      say(`${tag} OK signed in at the backend`);
    }
  };
}

function pop3(): Dialogue {
  let user = "";
  return (line, say, seen) => {
    if (line.startsWith("USER ")) user = line.slice(5);
    else seen({ user, password: line.slice(5) });
    say("+OK at the backend");
  };
}

function smtp(): Dialogue {
  return (line, say, seen) => {
    const login = /^XCLIENT .*LOGIN=(\S+)/.exec(line);
    if (login !== null) seen({ user: login[1] ?? "" });
    say(line.startsWith("XCLIENT") ? "220 go on" : "250 at the backend");
  };
}

const protocols = {
  imap: { greeting: "* OK backend", dialogue: imap },
  pop3: { greeting: "+OK backend", dialogue: pop3 },
  smtp: { greeting: "220 backend ESMTP", dialogue: smtp },
} as const;

/** A mail server that accepts and records every login. */
export async function startUpstreamServer(protocol: keyof typeof protocols): Promise<UpstreamServer> {
  const { greeting, dialogue } = protocols[protocol];
  const logins: SeenLogin[] = [];
  const server = await startTcpServer((socket: Socket) => {
    const answer = dialogue();
    let pending = "";
    socket.write(`${greeting}\r\n`);
    socket.on("data", (chunk: Buffer) => {
      const lines = (pending + chunk.toString("utf8")).split("\r\n");
      pending = lines.pop() ?? "";
      for (const line of lines) {
        answer(
          line,
          (text) => void socket.write(`${text}\r\n`),
          (login) => logins.push(login),
        );
      }
    });
  });
  return { ...server, logins };
}

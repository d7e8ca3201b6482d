import { startTcpServer, type TcpServer } from "./tcp-server.ts";

/** A step with a reply, which tests can replace. The reply `silent` sends nothing. */
export type SmtpStep = "greeting" | "EHLO" | "AUTH" | "MAIL" | "RCPT" | "DATA" | "message";

export interface ScriptedSmtp extends TcpServer {
  /** The received commands in order, without messages. */
  readonly commands: readonly string[];
  /** Completely received messages. */
  readonly messages: readonly string[];
}

const usual: Readonly<Record<SmtpStep, string>> = {
  greeting: "220 test",
  EHLO: "250-test\r\n250 AUTH PLAIN",
  AUTH: "235 welcome",
  MAIL: "250 sender ok",
  RCPT: "250 recipient ok",
  DATA: "354 go on",
  message: "250 queued",
};

function stepOf(command: string): SmtpStep | undefined {
  const verb = command.split(" ")[0]?.toUpperCase() ?? "";
  return (["EHLO", "AUTH", "MAIL", "RCPT", "DATA"] as const).find((step) => step === verb);
}

/** An SMTP server without TLS, with a configurable reply to each step. */
export async function startScriptedSmtp(replies: Partial<Record<SmtpStep, string>> = {}): Promise<ScriptedSmtp> {
  const commands: string[] = [];
  const messages: string[] = [];
  const replyTo = (step: SmtpStep): string => replies[step] ?? usual[step];
  const server = await startTcpServer((socket) => {
    let rest = "";
    let isMessage = false;
    const answer = (reply: string): void => {
      if (reply !== "silent") socket.write(`${reply}\r\n`);
    };
    const takeCommand = (line: string): void => {
      commands.push(line);
      const step = stepOf(line);
      const other = line.toUpperCase().startsWith("QUIT") ? "221 bye" : "502 not implemented";
      const reply = step === undefined ? other : replyTo(step);
      isMessage = step === "DATA" && reply.startsWith("354");
      answer(reply);
    };
    const take = (): boolean => {
      const end = isMessage ? "\r\n.\r\n" : "\r\n";
      const at = rest.indexOf(end);
      if (at < 0) return false;
      const text = rest.slice(0, at);
      rest = rest.slice(at + end.length);
      if (isMessage) {
        isMessage = false;
        messages.push(text);
        answer(replyTo("message"));
      } else takeCommand(text);
      return true;
    };
    socket.on("data", (chunk: Buffer) => {
      rest += chunk.toString("utf8");
      while (take());
    });
    answer(replyTo("greeting"));
  });
  return { ...server, commands, messages };
}

import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { freePort } from "@postern/shared/testing";

/** A service provider that hears of logouts by SOAP. */
export interface SoapProvider extends AsyncDisposable {
  readonly url: string;
  /** What it was sent. */
  readonly requests: string[];
  /** Answers this many requests with 500 first. */
  refuse(times: number): void;
  /** From now on requests are taken and not answered. */
  hangs: boolean;
}

function answerTo(body: string): string {
  const id = / ID="([^"]+)"/.exec(body)?.[1] ?? "";
  const now = new Date().toISOString();
  const issuer = `<a:Issuer xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion">urn:test:plain</a:Issuer>`;
  const status = `<p:Status><p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></p:Status>`;
  const response = `<p:LogoutResponse ID="_r" Version="2.0" IssueInstant="${now}" InResponseTo="${id}">${issuer}${status}</p:LogoutResponse>`;
  return `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/" xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol"><S:Body>${response}</S:Body></S:Envelope>`;
}

export async function startSoapProvider(): Promise<SoapProvider> {
  const port = await freePort();
  const requests: string[] = [];
  let refusals = 0;
  const mode = { hangs: false };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push(body);
      if (mode.hangs) return;
      refusals -= 1;
      if (refusals >= 0) response.writeHead(500).end();
      else response.writeHead(200, { "content-type": "text/xml" }).end(answerTo(body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  return Object.assign(mode, {
    url: `http://127.0.0.1:${port}/slo`,
    requests,
    refuse: (times: number) => {
      refusals = times;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
}

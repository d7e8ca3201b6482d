import { Secret } from "@postern/shared/platform/crypto";
import { describe, expect, it } from "vitest";
import { requestFields, targetOf } from "./request.ts";

const query = { username: "alice", protocol: "imap", clientIp: "203.0.113.9", clientPort: "4711" };

describe("the fields of a request", () => {
  it("are all that the mail server told", () => {
    const request = {
      session: "s-1",
      method: "plain",
      clientHostname: "client.example.test",
      clientId: "K-9",
      userAgent: "Thunderbird",
      oidcClientId: "webmail",
      loginAttempt: 2,
      tls: true,
      tlsDetails: { protocol: "TLSv1.3", clientVerify: "SUCCESS", fingerprint: "aa" },
    };
    const whole = { ...query, localIp: "192.0.2.1", localPort: "143", request };
    expect(requestFields(whole, new Secret("secret"))).toEqual({
      username: "alice",
      password: "secret",
      protocol: "imap",
      method: "plain",
      client_ip: "203.0.113.9",
      client_port: "4711",
      client_hostname: "client.example.test",
      client_id: "K-9",
      external_session_id: "s-1",
      user_agent: "Thunderbird",
      local_ip: "192.0.2.1",
      local_port: "143",
      oidc_cid: "webmail",
      ssl: "on",
      ssl_client_verify: "SUCCESS",
      ssl_protocol: "TLSv1.3",
      ssl_fingerprint: "aa",
      auth_login_attempt: 2,
    });
  });

  it("do not name the mail server as the client, nor its program as the user's", () => {
    const request = { session: "s-1", clientIpIsPeer: true, userAgent: "Dovecot", userAgentIsCaller: true };
    expect(requestFields({ ...query, request }, undefined)).toEqual({
      username: "alice",
      protocol: "imap",
      external_session_id: "s-1",
    });
  });

  it("keep the session of the system before", () => {
    const request = { session: "s-1", externalSessionId: "dovecot-1" };
    expect(requestFields({ ...query, request }, undefined)).toMatchObject({ external_session_id: "dovecot-1" });
  });
});

it("adds the mode and the caller's caches to the query of the address", () => {
  const url = new URL("https://central.example.test/prefix/auth/json?tenant=a");
  expect(targetOf(url, undefined, {})).toBe("/prefix/auth/json?tenant=a");
  const request = { session: "s-1", memoryCache: false, sharedCache: false };
  expect(targetOf(url, "no-auth", { request })).toBe("/prefix/auth/json?tenant=a&mode=no-auth&in-memory=0&cache=0");
});

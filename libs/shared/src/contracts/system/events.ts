import { type Static, Type } from "typebox";
import { defineEvent } from "../define.ts";
import { text } from "../schema.ts";

const state = (description: string) => text(description, { maxLength: 32 });
const name = Type.String({ minLength: 1, maxLength: 1024 });

/** What a process says about itself. */
export const ServiceReport = Type.Object({
  service: Type.String({ minLength: 1, maxLength: 64 }),
  instance: Type.String({ minLength: 1, maxLength: 256 }),
  version: Type.String({ minLength: 1, maxLength: 64 }),
  startedMs: Type.Integer({ minimum: 0, description: "Epoch milliseconds." }),
  status: state("up, degraded, down, starting or draining."),
  checks: Type.Record(Type.String({ maxLength: 64 }), state("up or down."), {
    description: "Health checks of the process, by name.",
  }),
  configuration: Type.Object({
    digest: text("Equal in all processes with the same configuration.", { maxLength: 64 }),
    loadedMs: Type.Integer({ minimum: 0, description: "Epoch milliseconds of the start or of the last reload." }),
    changed: Type.Array(name, { maxItems: 100, description: "Keys that reloads changed since the start." }),
    needsRestart: Type.Array(name, { maxItems: 100, description: "Those of them that wait for a restart." }),
    refused: Type.Optional(
      Type.Object(
        {
          atMs: Type.Integer({ minimum: 0, description: "Epoch milliseconds." }),
          reason: Type.String({ maxLength: 1024 }),
        },
        { description: "The last reload, if its configuration was refused." },
      ),
    ),
  }),
  expiries: Type.Array(Type.Object({ name, endMs: Type.Integer({ description: "Epoch milliseconds." }) }), {
    maxItems: 100,
    description: "Ends of certificates that this process can read.",
  }),
  signingKeys: Type.Optional(
    Type.Array(
      Type.Object({
        name,
        createdMs: Type.Optional(Type.Integer({ description: "Epoch milliseconds. Absent for configured keys." })),
        signs: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 16, description: "Empty: it only verifies." }),
        signsFromMs: Type.Optional(Type.Integer({ description: "Epoch milliseconds, for a key that waits to sign." })),
      }),
      { maxItems: 64, description: "Of the identity provider." },
    ),
  ),
  backends: Type.Optional(
    Type.Array(Type.Object({ name, state: state("up or down.") }), {
      maxItems: 64,
      description: "Backends of an engine.",
    }),
  ),
  scripts: Type.Optional(
    Type.Array(name, { maxItems: 200, description: "Files of the site's scripts that are compiled in this process." }),
  ),
});
export type ServiceReport = Static<typeof ServiceReport>;

/** Asks every process for its report. Processes of earlier versions do not answer. */
export const serviceReportAsked = defineEvent({
  domain: "service",
  fact: "report-asked",
  major: 1,
  body: Type.Object({}),
});

/** The answer, and the last word of a process that shuts down. */
export const serviceReported = defineEvent({ domain: "service", fact: "reported", major: 1, body: ServiceReport });

import { createPublicKey } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { SamlRefusal } from "../protocol/refusal.ts";
import { failureOf } from "./load-document.ts";
import { type ReadMetadataOptions, readMetadata } from "./read-metadata.ts";

export interface ReadTask extends Omit<ReadMetadataOptions, "keys"> {
  readonly xml: string;
  /** PEM of public keys; empty: the document is accepted without a signature. */
  readonly keys: readonly string[];
}

function outcomeOf({ keys, ...document }: ReadTask) {
  try {
    const facts = readMetadata(document.xml, { ...document, keys: keys.map((key) => createPublicKey(key)) });
    return { outcome: "read", facts } as const;
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error;
    return { outcome: "refused", failure: failureOf(error), detail: error.message } as const;
  }
}

export type ReadOutcome = ReturnType<typeof outcomeOf>;

const port = parentPort;
const task: ReadTask = workerData;
port?.postMessage(outcomeOf(task));

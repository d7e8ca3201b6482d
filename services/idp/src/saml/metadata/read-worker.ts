import { createPublicKey } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { SamlRefusal } from "../protocol/refusal.ts";
import { failureOf } from "./metadata-failure.ts";
import type { ReadOutcome, ReadTask } from "./read-messages.ts";
import { readMetadata } from "./read-metadata.ts";

function outcomeOf({ keys, ...document }: ReadTask): ReadOutcome {
  try {
    return {
      outcome: "read",
      facts: readMetadata(document.xml, { ...document, keys: keys.map((key) => createPublicKey(key)) }),
    };
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error;
    return { outcome: "refused", failure: failureOf(error), detail: error.message };
  }
}

const port = parentPort;
const task: ReadTask = workerData;
port?.postMessage(outcomeOf(task));

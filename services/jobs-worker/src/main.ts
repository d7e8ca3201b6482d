import { runService } from "@postern/shared/platform/lifecycle";
import { jobsWorker } from "./start.ts";

await runService(jobsWorker);

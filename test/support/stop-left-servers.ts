import { stopRunningServers } from "@postern/testing";
import { afterAll } from "vitest";

// Registered before the hooks of a test file, so it runs after them: it finds what a hook that timed out has left behind.
afterAll(stopRunningServers);

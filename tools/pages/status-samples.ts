import { createStatusPages } from "../../services/gateway/src/public-status/status-page.ts";

const states = {
  "status-works": { degradedSinceMs: undefined },
  "status-degraded": { degradedSinceMs: Date.parse("2030-05-06T14:05:00Z") },
};

const { render, headers } = createStatusPages({ brand: "Example Mail", accent: { light: "", dark: "" } });

/** The public status page of the gateway in each of its states. */
export const statusSamples = Object.entries(states).map(([name, status]) => ({
  name,
  headers,
  render: (tag: string): string | undefined => render(tag, status),
}));

/** OpenTelemetry, if it is switched on: otherwise nothing of it is loaded. */
import type { Registry } from 'prom-client';
import { newId } from '../ids.ts';
import { StartError } from '../start/start-error.ts';
import type { TelemetrySettings } from './telemetry-settings.ts';

export interface Telemetry {
  /** Sends what the registry counts from now on. */
  exportMetrics(registry: Registry): void;
  /** Sends what is left. */
  stop(): Promise<void>;
}

/** Before the first app is created: an app that was created without it records no requests. */
export async function startTelemetry(settings: TelemetrySettings | null): Promise<Telemetry | null> {
  if (!settings) return null;
  const { openTelemetry } = await import('./otel.ts').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartError('The packages of OpenTelemetry are not installed. Run: npm ci');
  });
  return openTelemetry(settings, newId());
}

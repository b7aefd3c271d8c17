import type { TestContext } from 'node:test';

/** What has been kept for less than a second is looked at as if a second had passed. */
export async function aSecondLater(t: TestContext, look: () => Promise<void>): Promise<void> {
  const now = performance.now.bind(performance);
  const later = t.mock.method(performance, 'now', () => now() + 1_000);
  try {
    await look();
  } finally {
    later.mock.restore();
  }
}

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startTestService, type TestService } from '../../../test/support/service.ts';

describe("the widget's limits per address", () => {
  const services: TestService[] = [];
  const start = async (env: Record<string, string>) => {
    const service = await startTestService({ env });
    services.push(service);
    return (forwardedFor: string) =>
      service.call('POST', '/widget/sessions', {
        token: null,
        headers: { 'x-forwarded-for': forwardedFor },
        body: { channel: 'web' },
      });
  };
  after(() => Promise.all(services.map((service) => service.close())));
  const exhaust = async (visitFrom: (index: number) => Promise<{ status: number }>) => {
    for (let index = 0; index < 60; index++) assert.equal((await visitFrom(index)).status, 200);
  };

  it('behind a proxy of TRUST_PROXY each client has its own limit', async () => {
    const visit = await start({ TRUST_PROXY: '127.0.0.0/8' });
    await exhaust(() => visit('203.0.113.7'));
    assert.equal((await visit('203.0.113.7')).status, 429);
    assert.equal((await visit('198.51.100.1, 203.0.113.7')).status, 429, 'a claim does not help');
    assert.equal((await visit('203.0.113.8')).status, 200);
  });

  it('behind any other peer X-Forwarded-For does not get a client past its limit', async () => {
    const visit = await start({});
    await exhaust((index) => visit(`203.0.113.${index}`));
    assert.equal((await visit('203.0.113.99')).status, 429);
  });
});

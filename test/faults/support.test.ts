/** A test that fails while a program is frozen must end, or its failure is never seen. */
import { it } from 'node:test';
import { openWorkshop } from './support.ts';

it('a workshop closes with a frozen program and requests that wait for it', {
  timeout: 120_000,
}, async () => {
  const workshop = openWorkshop();
  const program = await workshop.start();
  process.kill(program.pid, 'SIGSTOP');
  workshop.load(2, async () => {
    await program.call('GET', '/health/live');
  });
  await workshop.close();
});

/** Clients that keep creating records over kept-alive connections, and record how each request went. */
import { Agent, request } from 'node:http';

export interface Sent {
  title: string;
  sentAt: number;
  /** Null: no complete response. */
  status: number | null;
  error: string;
}

export interface Load {
  /** Resolves when this many responses have arrived. */
  answered(count: number): Promise<void>;
  /** Ends the clients and returns everything they sent. */
  end(): Promise<Sent[]>;
}

export function startLoad(base: string, token: string, clients: number): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const sent: Sent[] = [];
  let ended = false;
  let answers = 0;
  const waiting: { count: number; resolve: () => void }[] = [];

  const client = async (name: number) => {
    for (let number = 0; !ended; number++) {
      const title = `Load ${name}-${number}`;
      const one: Sent = { title, sentAt: performance.now(), status: null, error: '' };
      sent.push(one);
      try {
        one.status = await create(agent, base, token, title);
        answers++;
        for (const { count, resolve } of waiting) if (answers >= count) resolve();
      } catch (error) {
        one.error = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
        // The listener is closed: there is nothing left to request.
        if (one.error === 'ECONNREFUSED') return;
      }
    }
  };
  const running = Array.from({ length: clients }, (_, name) => client(name));

  return {
    answered: (count) => new Promise((resolve) => waiting.push({ count, resolve })),
    async end() {
      ended = true;
      await Promise.all(running);
      agent.destroy();
      return sent;
    },
  };
}

function create(agent: Agent, base: string, token: string, title: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const call = request(`${base}/crm/records`, { agent, method: 'POST', headers }, (response) => {
      response.on('error', reject);
      response.on('end', () => resolve(response.statusCode!));
      response.resume();
    });
    call.on('error', reject);
    call.end(JSON.stringify({ title }));
  });
}

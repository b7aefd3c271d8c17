/** Every route that a service registers at start, hidden ones too, as reported by the framework. */
import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { Access } from '../../server/features/accounts/accounts.access.routes.ts';

export interface Route {
  method: string;
  url: string;
  access: Access | undefined;
  isHidden: boolean;
}

const channel = 'fastify.initialization';

export async function watchRoutes<T>(start: () => Promise<T>): Promise<{ started: T; routes: Route[] }> {
  const routes: Route[] = [];
  const listen = (message: unknown) => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => {
      const schema = route.schema as (FastifySchema & { hide?: boolean }) | undefined;
      for (const method of [route.method].flat()) {
        routes.push({
          method,
          url: route.url,
          access: route.config?.access,
          isHidden: schema?.hide === true,
        });
      }
    });
  };
  diagnostics.subscribe(channel, listen);
  try {
    return { started: await start(), routes };
  } finally {
    diagnostics.unsubscribe(channel, listen);
  }
}

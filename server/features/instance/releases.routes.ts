import { ReleaseList } from '../../../contract/releases.ts';
import type { App } from '../../platform/http/http.ts';
import { listReleases } from './releases.ts';

export function releasesRoutes(app: App): void {
  app.get(
    '/releases',
    {
      config: { access: { anyone: true } },
      schema: { tags: ['Releases'], summary: 'What each release changed', response: { 200: ReleaseList } },
    },
    async () => ({ items: await listReleases() }),
  );
}

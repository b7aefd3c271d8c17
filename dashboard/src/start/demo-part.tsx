/** The demo: filled and removed by the same code as `talkboard demo`. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { DemoFilled, FirstRun } from '../../../contract/first-run.ts';
import { api } from '../data/api.ts';
import { kanbansQuery } from '../data/queries.ts';
import { queryClient } from '../data/query-client.ts';
import { refresh } from '../data/refresh.ts';
import { t, tn } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { toast } from '../ui/overlays/toast.tsx';

export function DemoPart({ first: { demo } }: { first: FirstRun }) {
  const [busy, setBusy] = useState(false);
  const [isAsking, ask] = useState(false);
  const navigate = useNavigate();
  const run = async (act: () => Promise<void>, failed: string) => {
    setBusy(true);
    try {
      await act();
      // Boards, conversations, people, reports: nothing on the screen is as it was.
      await refresh([]);
    } catch (error) {
      toast.failed(failed, error);
    } finally {
      setBusy(false);
    }
  };
  const fill = () =>
    run(async () => {
      const { records, conversations } = await api<DemoFilled>('POST', '/demo');
      toast.done(t('start.demo.filled', { records, conversations }));
    }, t('start.demo.fillFailed'));
  const remove = () =>
    run(async () => {
      await api('DELETE', '/demo', { query: { force: true } });
      ask(false);
      toast.done(t('start.demo.removed'));
    }, t('start.demo.removeFailed'));
  const see = async () => {
    const boards = await queryClient.ensureQueryData(kanbansQuery);
    const board = boards.find(({ name }) => name.startsWith('Demo ')) ?? boards[0];
    if (board) await navigate({ to: '/boards/$boardId', params: { boardId: board.slug } });
  };
  return (
    <section className="flex items-center justify-between gap-4 rounded-panel border border-line p-4 max-sm:flex-col max-sm:items-start">
      <div className="min-w-0">
        <h2 className="font-medium">{demo ? t('start.demo.there') : t('start.demo')}</h2>
        <p className="text-pretty text-muted">{demo ? t('start.demo.thereText') : t('start.demo.text')}</p>
      </div>
      {demo ? (
        <div className="flex shrink-0 flex-wrap gap-2">
          <Button onClick={() => void see()}>{t('start.demo.see')}</Button>
          <Button onClick={() => ask(true)}>{t('start.demo.remove')}</Button>
        </div>
      ) : (
        <Button busy={busy} onClick={() => void fill()}>
          {t('start.demo.fill')}
        </Button>
      )}
      {isAsking && demo && (
        <Dialog
          open
          onOpenChange={ask}
          title={t('start.demo.removeTitle')}
          footer={
            <>
              <Button onClick={() => ask(false)}>{t('ui.cancel')}</Button>
              <Button tone="danger" busy={busy} onClick={() => void remove()}>
                {t('start.demo.remove')}
              </Button>
            </>
          }
        >
          <p className="text-pretty text-muted">{t('start.demo.removeText')}</p>
          {demo.used > 0 && <p className="mt-2 font-medium">{tn('start.demo.used', demo.used)}</p>}
        </Dialog>
      )}
    </section>
  );
}

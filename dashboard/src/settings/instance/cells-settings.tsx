/** The databases of the instance, and how far the accounts are that move between them. */
import { useQuery } from '@tanstack/react-query';
import { ArrowRightLeft, Database } from 'lucide-react';
import type { AccountMove } from '../../../../contract/accounts.ts';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Badge } from '../../ui/display/badge.tsx';
import { ProgressBar } from '../../ui/display/progress.tsx';
import { Time } from '../../ui/display/time.tsx';
import { EntityList } from '../parts/entity-list.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { Answer, Part, Section } from '../parts/section.tsx';
import { accountsQuery, cellsQuery } from '../settings-data.ts';

const stateWords: { [state in AccountMove['state']]: () => string } = {
  copying: () => t('cells.state.copying'),
  checking: () => t('cells.state.checking'),
  waiting: () => t('cells.state.waiting'),
  closing: () => t('cells.state.closing'),
  done: () => t('cells.state.done'),
  abandoned: () => t('cells.state.abandoned'),
};

export default function CellsSettings() {
  const overview = useQuery(cellsQuery);
  return (
    <Section title={t('settings.cells')} description={t('cells.text')}>
      <Answer query={overview}>
        {({ cells, moves }) => (
          <>
            <EntityList
              label={t('settings.cells')}
              items={cells}
              row={({ name, accounts, weight, drained, status }) => (
                <Row
                  key={name}
                  mark={
                    <RowIcon>
                      <Database className="size-4" />
                    </RowIcon>
                  }
                  title={name}
                  badges={
                    <>
                      {status !== 'ok' && <Badge>{t('cells.away')}</Badge>}
                      {drained && <Badge>{t('cells.drained')}</Badge>}
                    </>
                  }
                  text={t('cells.row', { accounts: number(accounts), weight: number(weight) })}
                />
              )}
            />
            <Moves moves={moves} />
          </>
        )}
      </Answer>
    </Section>
  );
}

function Moves({ moves }: { moves: readonly AccountMove[] }) {
  const accounts = useQuery(accountsQuery);
  const nameOf = (id: string) => accounts.data?.find((account) => account.id === id)?.name ?? id;
  return (
    <Part title={t('cells.moves')}>
      {moves.length === 0 ? (
        <p className="text-muted">{t('cells.noMoves')}</p>
      ) : (
        <EntityList
          label={t('cells.moves')}
          items={moves}
          row={(move) => (
            <Row
              key={move.id}
              mark={
                <RowIcon>
                  <ArrowRightLeft className="size-4" />
                </RowIcon>
              }
              title={`${nameOf(move.accountId)} ${t('cells.fromTo', { from: move.from, to: move.to })}`}
              badges={<Badge>{stateWords[move.state]()}</Badge>}
              text={textOf(move)}
              end={
                move.endedAt === null ? (
                  <Progress move={move} name={nameOf(move.accountId)} />
                ) : (
                  <Time at={move.endedAt} ago />
                )
              }
            />
          )}
        />
      )}
    </Part>
  );
}

function Progress({ move, name }: { move: AccountMove; name: string }) {
  const { state, rowsCopied, rowsTotal } = move;
  const share = state === 'copying' && rowsTotal > 0 ? Math.min(1, rowsCopied / rowsTotal) : null;
  return <ProgressBar label={t('cells.progress', { name })} share={share} className="w-24" />;
}

function textOf({ state, rowsCopied, rowsTotal, detail, closedMs }: AccountMove): string {
  if (state === 'copying')
    return t('cells.rows', { copied: number(Math.min(rowsCopied, rowsTotal)), total: number(rowsTotal) });
  if (state === 'done') return closedMs === null ? '' : t('cells.waited', { ms: number(closedMs) });
  return detail ?? '';
}

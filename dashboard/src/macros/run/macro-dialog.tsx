/** Runs a macro after showing what it will do: in one conversation, or in each of several. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Zap } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import type { Macro } from '../../../../contract/macros.ts';
import { customerName } from '../../texts/customer-name.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { PickerList } from '../../ui/controls/picker.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { EmptyState, ErrorState } from '../../ui/display/states.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { macrosQuery } from '../macro-data.ts';
import type { MacroRequest } from '../macro-request.ts';
import { ManyRun } from './many-run.tsx';
import { OneRun } from './one-run.tsx';
import { createRunKeys } from './use-many-runs.ts';

export default function MacroDialog({ sessions: all, macroId, onClose }: MacroRequest & { onClose(): void }) {
  // The same ones after each render: a run belongs to them.
  const [sessions] = useState(() => all.slice(0, limits.batchItems));
  const query = useQuery(macrosQuery);
  const [keyFor] = useState(createRunKeys);
  const [chosenId, setChosenId] = useState(macroId);
  // Held here: the choice is mounted anew inside the run.
  const wasList = useRef(false);
  const macro = query.data?.find(({ id }) => id === chosenId);
  const [one] = sessions;
  const isOne = sessions.length === 1;
  const frame = (children: ReactNode, footer?: ReactNode) => (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('macros.run.title')}
      description={
        isOne ? t('macros.run.one', { name: customerName(one!) }) : tn('macros.run.many', sessions.length)
      }
      footer={footer}
      wide
    >
      <div className="flex flex-col gap-4">
        {query.data && query.data.length > 0 && (
          <Choice macros={query.data} value={chosenId} onChange={setChosenId} wasList={wasList} />
        )}
        {sessions.length < all.length && (
          <p className="text-warning">{t('macros.many.bound', { count: limits.batchItems })}</p>
        )}
        {children}
      </div>
    </Dialog>
  );
  if (query.isError) return frame(<ErrorState error={query.error} onRetry={() => void query.refetch()} />);
  if (query.data?.length === 0) return frame(<NoMacros onClose={onClose} />);
  if (!macro) return frame(null);
  const props = { key: macro.id, macro, frame, onClose };
  return isOne ? (
    <OneRun {...props} session={one!} />
  ) : (
    <ManyRun {...props} sessions={sessions} keyFor={keyFor} />
  );
}

interface ChoiceProps {
  macros: readonly Macro[];
  value: string | null;
  onChange(id: string): void;
  wasList: { current: boolean };
}

/** A list to type in at first, so that Enter chooses; then one line, from which another one can be chosen. */
function Choice({ macros, value, onChange, wasList }: ChoiceProps) {
  const field = useRef<HTMLDivElement>(null);
  const isChosen = macros.some(({ id }) => id === value);
  // The list is gone, and the focus with it.
  useEffect(() => {
    if (isChosen && wasList.current) field.current?.querySelector('button')?.focus();
    wasList.current = !isChosen;
  }, [isChosen, wasList]);
  const options = macros.map(({ id, name }) => ({ value: id, label: name }));
  if (!isChosen) {
    return (
      <div className="rounded-panel border border-line">
        <PickerList
          autoFocus
          label={t('macros.run.choose')}
          options={options}
          chosen={[]}
          onToggle={onChange}
        />
      </div>
    );
  }
  return (
    <div ref={field}>
      <Field label={t('macros.run.macro')}>
        {(ids) => <Select {...ids} value={value ?? undefined} onChange={onChange} options={options} />}
      </Field>
    </div>
  );
}

function NoMacros({ onClose }: { onClose(): void }) {
  return (
    <EmptyState
      icon={<Zap className="size-4" />}
      title={t('macros.empty')}
      text={t('macros.emptyText')}
      action={
        <Link to="/settings/$section" params={{ section: 'macros' }} onClick={onClose}>
          <Button tone="primary" tabIndex={-1}>
            {t('macros.run.settings')}
          </Button>
        </Link>
      }
    />
  );
}

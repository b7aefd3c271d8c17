import { BookOpen, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Agent } from '../../../../contract/channels.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { SearchInput } from '../../ui/controls/input.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import type { ChangeAgent } from './agent-options.ts';
import { KnowledgeSources, MoveKnowledge } from './knowledge-sources.tsx';

type Entry = Agent['knowledge'][number];

/** The service keeps the entries as one list: every change sends all of them. */
export function Knowledge({
  agent,
  isDraft,
  change,
}: {
  agent: Agent;
  isDraft: boolean;
  change: ChangeAgent;
}) {
  const { knowledge } = agent;
  const [text, setText] = useState('');
  const [open, setOpen] = useState<number | 'new' | null>(null);
  const wanted = text.trim().toLocaleLowerCase();
  const shown = knowledge
    .map((entry, index) => ({ entry, index }))
    .filter(({ entry }) => `${entry.title}\n${entry.text}`.toLocaleLowerCase().includes(wanted));
  const put = (entry: Entry) =>
    change({
      knowledge:
        open === 'new'
          ? [...knowledge, entry]
          : knowledge.map((one, index) => (index === open ? entry : one)),
    });
  const remove = async (index: number) => {
    const before = knowledge;
    try {
      await change({ knowledge: before.filter((_, at) => at !== index) });
      toast.undo(t('agents.entryDeleted'), () => {
        void change({ knowledge: before }).catch((error) => toast.failed(t('settings.undoFailed'), error));
      });
    } catch (error) {
      toast.failed(t('settings.failed'), error);
    }
  };
  return (
    <div className="flex flex-col gap-3 pt-4">
      <KnowledgeSources agent={agent} change={change} />
      <h3 className="pt-2 font-medium">{t('agents.ownKnowledge')}</h3>
      <div className="flex items-center justify-between gap-2">
        {knowledge.length > 5 ? (
          <SearchInput className="w-60" label={t('agents.searchKnowledge')} value={text} onChange={setText} />
        ) : (
          <p className="text-muted">{t('agents.knowledgeText')}</p>
        )}
        <Button icon={<Plus className="size-3.5" />} onClick={() => setOpen('new')}>
          {t('agents.addEntry')}
        </Button>
      </div>
      {knowledge.length === 0 ? (
        <EmptyState
          icon={<BookOpen className="size-4" />}
          title={t('agents.noKnowledge')}
          text={t('agents.noKnowledgeText')}
        />
      ) : shown.length === 0 ? (
        <p className="py-6 text-center text-muted">{t('ui.nothingFound')}</p>
      ) : (
        <Rows label={t('agents.knowledge')}>
          {shown.map(({ entry, index }) => (
            <Row
              key={index}
              title={entry.title || t('agents.untitled')}
              text={entry.text}
              onOpen={() => setOpen(index)}
            />
          ))}
        </Rows>
      )}
      {!isDraft && <MoveKnowledge agent={agent} />}
      {open !== null && (
        <EntryDialog
          entry={open === 'new' ? null : (knowledge[open] ?? null)}
          onSave={put}
          onRemove={() => {
            setOpen(null);
            if (open !== 'new') void remove(open);
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  );
}

function EntryDialog({
  entry,
  onSave,
  onRemove,
  onClose,
}: {
  entry: Entry | null;
  onSave(entry: Entry): Promise<void>;
  onRemove(): void;
  onClose(): void;
}) {
  const [title, setTitle] = useState(entry?.title ?? '');
  const [text, setText] = useState(entry?.text ?? '');
  return (
    <FormDialog
      title={entry ? t('agents.editEntry') : t('agents.addEntry')}
      action={entry ? t('ui.save') : t('ui.add')}
      ready={text.trim() !== ''}
      onSubmit={() => onSave({ title: title.trim(), text })}
      onClose={onClose}
      onDelete={entry ? onRemove : undefined}
    >
      <TextField
        label={t('agents.entryTitle')}
        hint={t('agents.entryTitleHint')}
        autoFocus
        maxLength={1_000}
        value={title}
        onChange={setTitle}
      />
      <TextField
        label={t('agents.entryText')}
        lines={{ min: 8, max: 16 }}
        maxLength={100_000}
        value={text}
        onChange={setText}
      />
    </FormDialog>
  );
}

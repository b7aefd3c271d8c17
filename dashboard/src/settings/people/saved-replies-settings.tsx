import { useQuery } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import { useRef, useState } from 'react';
import type { SavedReply } from '../../../../contract/dashboard.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { keys, savedRepliesQuery, usePersonOf } from '../../data/queries.ts';
import { useSignedIn } from '../../data/session.ts';
import { insertAt } from '../../inbox/composer/saved/insert-at.ts';
import { PlaceholderHelp } from '../../inbox/composer/saved/lazy-placeholder-help.tsx';
import { t } from '../../texts/texts.ts';
import { Field, TextArea } from '../../ui/controls/input.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { CreateButton, EntityList } from '../parts/entity-list.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Row } from '../parts/rows.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { reload } from '../settings-data.ts';

const reloadReplies = () => reload(keys.savedReplies);

export default function SavedRepliesSettings() {
  const replies = useQuery(savedRepliesQuery);
  const personOf = usePersonOf();
  const { user } = useSignedIn();
  const [open, setOpen] = useState<SavedReply | 'new' | null>(null);
  const add = <CreateButton label={t('replies.new')} onClick={() => setOpen('new')} />;
  const mayChange = (reply: SavedReply) =>
    reply.ownerId === user.id || user.permissions.includes('shared.manage');
  return (
    <Section title={t('settings.replies')} description={t('replies.text')} actions={add}>
      <Answer query={replies}>
        {(list) => (
          <EntityList
            label={t('settings.replies')}
            items={list}
            empty={{
              icon: <MessageSquareText className="size-4" />,
              title: t('replies.empty'),
              text: t('replies.emptyText'),
            }}
            search={{ label: t('replies.search'), textOf: ({ name, text }) => `${name}\n${text}` }}
            row={(reply) => (
              <Row
                key={reply.id}
                title={reply.name}
                badges={
                  <Badge hue={reply.shared ? 'blue' : undefined}>
                    {reply.shared ? t('replies.shared') : t('replies.own')}
                  </Badge>
                }
                text={reply.text}
                end={
                  reply.ownerId !== user.id && (
                    <span className="text-sm text-muted max-sm:hidden">{personOf(reply.ownerId)?.name}</span>
                  )
                }
                onOpen={mayChange(reply) ? () => setOpen(reply) : undefined}
              />
            )}
          />
        )}
      </Answer>
      {open && <ReplyDialog reply={open === 'new' ? null : open} onClose={() => setOpen(null)} />}
    </Section>
  );
}

function ReplyDialog({ reply, onClose }: { reply: SavedReply | null; onClose(): void }) {
  const [name, setName] = useState(reply?.name ?? '');
  const [text, setText] = useState(reply?.text ?? '');
  const [shared, setShared] = useState(reply?.shared ?? false);
  const area = useRef<HTMLTextAreaElement>(null);
  const submit = async () => {
    const body = { name: name.trim(), text, shared };
    if (reply) await api('PATCH', `/saved-replies/${reply.id}`, { body });
    else await api('POST', '/saved-replies', { body });
    await reloadReplies();
  };
  return (
    <FormDialog
      title={reply ? t('replies.edit') : t('replies.new')}
      action={reply ? t('ui.save') : t('ui.create')}
      ready={name.trim() !== '' && text.trim() !== ''}
      onSubmit={submit}
      onClose={onClose}
      onDelete={
        reply === null
          ? undefined
          : () => {
              onClose();
              void remove(reply);
            }
      }
    >
      <TextField
        label={t('replies.name')}
        hint={t('replies.nameHint')}
        autoFocus
        value={name}
        maxLength={limits.nameLength}
        onChange={setName}
      />
      <Field label={t('replies.content')} hint={t('replies.placeholders')}>
        {(ids) => (
          <TextArea
            {...ids}
            ref={area}
            rows={5}
            value={text}
            maxLength={limits.messageLength}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <PlaceholderHelp text={text} onInsert={(piece) => insertAt(area.current, piece, setText)} />
      <Switch
        label={t('replies.share')}
        hint={t('replies.shareHint')}
        checked={shared}
        onChange={setShared}
      />
    </FormDialog>
  );
}

async function remove({ id, name, text, shared }: SavedReply): Promise<void> {
  try {
    await api('DELETE', `/saved-replies/${id}`);
    await reloadReplies();
    toast.undo(t('replies.deleted', { name }), () => {
      void api('POST', '/saved-replies', { body: { name, text, shared } })
        .then(reloadReplies)
        .catch((error) => toast.failed(t('settings.undoFailed'), error));
    });
  } catch (error) {
    toast.failed(t('replies.deleteFailed'), error);
  }
}

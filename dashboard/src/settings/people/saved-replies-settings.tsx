import { useQuery } from '@tanstack/react-query';
import { MessageSquareText, Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import type { SavedReply } from '../../../../contract/dashboard.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { keys, savedRepliesQuery, usePersonOf } from '../../data/queries.ts';
import { useSignedIn } from '../../data/session.ts';
import { placeholderNames } from '../../inbox/composer/placeholders.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, Input, SearchInput, TextArea } from '../../ui/controls/input.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { reload } from '../settings-data.ts';

const reloadReplies = () => reload(keys.savedReplies);

export default function SavedRepliesSettings() {
  const replies = useQuery(savedRepliesQuery);
  const personOf = usePersonOf();
  const { user } = useSignedIn();
  const [text, setText] = useState('');
  const [open, setOpen] = useState<SavedReply | 'new' | null>(null);
  const wanted = text.trim().toLocaleLowerCase();
  const add = (
    <Button tone="primary" icon={<Plus className="size-3.5" />} onClick={() => setOpen('new')}>
      {t('replies.new')}
    </Button>
  );
  const mayChange = (reply: SavedReply) => reply.ownerId === user.id || user.role === 'admin';
  return (
    <Section title={t('settings.replies')} description={t('replies.text')} actions={add}>
      <Answer query={replies}>
        {(list) => {
          if (list.length === 0) {
            return (
              <EmptyState
                icon={<MessageSquareText className="size-4" />}
                title={t('replies.empty')}
                text={t('replies.emptyText')}
              />
            );
          }
          const shown = list.filter((one) => `${one.name}\n${one.text}`.toLocaleLowerCase().includes(wanted));
          return (
            <div className="flex flex-col gap-3">
              {list.length > 5 && <SearchInput label={t('replies.search')} value={text} onChange={setText} />}
              {shown.length === 0 ? (
                <p className="py-6 text-center text-muted">{t('ui.nothingFound')}</p>
              ) : (
                <Rows label={t('settings.replies')}>
                  {shown.map((reply) => (
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
                          <span className="text-sm text-muted max-sm:hidden">
                            {personOf(reply.ownerId)?.name}
                          </span>
                        )
                      }
                      onOpen={mayChange(reply) ? () => setOpen(reply) : undefined}
                    />
                  ))}
                </Rows>
              )}
            </div>
          );
        }}
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
  /** At the caret; people need not know how placeholders are written. */
  const insert = (piece: string) => {
    const box = area.current;
    if (!box) return;
    const at = box.selectionStart;
    setText(box.value.slice(0, at) + piece + box.value.slice(box.selectionEnd));
    requestAnimationFrame(() => {
      box.focus();
      box.setSelectionRange(at + piece.length, at + piece.length);
    });
  };
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
      aside={
        reply && (
          <Button
            tone="quiet"
            className="text-danger!"
            icon={<Trash2 className="size-3.5" />}
            onClick={() => {
              onClose();
              void remove(reply);
            }}
          >
            {t('ui.delete')}
          </Button>
        )
      }
    >
      <Field label={t('replies.name')} hint={t('replies.nameHint')}>
        {(ids) => (
          <Input
            {...ids}
            autoFocus
            value={name}
            maxLength={limits.nameLength}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
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
      <div className="-mt-2 flex flex-wrap gap-1">
        {placeholderNames.map((one) => (
          <Button key={one} size="small" onClick={() => insert(`{{${one}}}`)}>
            <code className="font-mono text-xs">{`{{${one}}}`}</code>
          </Button>
        ))}
      </div>
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

/** The first message of a new conversation, with saved replies and files. */
import { useRef } from 'react';
import { t } from '../../texts/texts.ts';
import { Field, TextArea } from '../../ui/controls/input.tsx';
import { AttachButton } from '../composer/attach-button.tsx';
import { EmojiButton } from '../composer/emoji-button.tsx';
import { namePasted } from '../composer/pasted-files.ts';
import { insertAt } from '../composer/saved/insert-at.ts';
import { SavedRepliesButton } from '../composer/saved/saved-replies.tsx';
import { UploadChip } from '../composer/upload-chip.tsx';
import { useAddFiles } from '../composer/use-add-files.ts';
import type { useStart } from './use-start.ts';

interface FirstMessageProps {
  start: ReturnType<typeof useStart>;
  recordId: string | null;
  onSubmit(): void;
}

export function FirstMessage({ start, recordId, onSubmit }: FirstMessageProps) {
  const { recipient, name, kanbanId, text, setText, uploads, setUploads } = start;
  const area = useRef<HTMLTextAreaElement>(null);
  const addFiles = useAddFiles(uploads, ({ uploads }) => setUploads(uploads));
  const insert = (piece: string) => insertAt(area.current, piece, setText);
  const place = {
    sessionId: recipient,
    sessionName: name,
    externalUserId: recipient,
    recordId,
    kanbanId: kanbanId ?? '',
  };
  return (
    <div className="flex flex-col gap-1">
      <Field label={t('composer.start.message')}>
        {(ids) => (
          <TextArea
            {...ids}
            ref={area}
            rows={4}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSubmit();
            }}
            onPaste={(event) => {
              const files = [...event.clipboardData.files];
              if (files.length === 0) return;
              event.preventDefault();
              addFiles(namePasted(files));
            }}
          />
        )}
      </Field>
      {uploads.length > 0 && (
        <div className="flex flex-wrap gap-2 py-1">
          {uploads.map((upload) => (
            <UploadChip
              key={upload.id}
              upload={upload}
              onRemove={() => {
                upload.cancel();
                setUploads(uploads.filter((one) => one !== upload));
              }}
            />
          ))}
        </div>
      )}
      <div className="-ml-1.5 flex items-center gap-0.5">
        <AttachButton onFiles={addFiles} />
        <EmojiButton onPick={insert} />
        <SavedRepliesButton session={place} text={text} onInsert={insert} />
      </div>
    </div>
  );
}

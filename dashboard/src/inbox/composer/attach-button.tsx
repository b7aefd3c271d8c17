import { Paperclip } from 'lucide-react';
import { useRef } from 'react';
import { t } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { acceptedTypes } from './uploads.ts';

export function AttachButton({ onFiles }: { onFiles(files: File[]): void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={acceptedTypes}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <IconButton label={t('inbox.compose.attach')} onClick={() => input.current?.click()}>
        <Paperclip className="size-4" />
      </IconButton>
    </>
  );
}

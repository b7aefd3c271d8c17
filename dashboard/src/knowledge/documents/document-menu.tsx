/** What can be done with a document: in its row and on its page. */

import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, Eye, EyeOff, Lock, LockOpen, SquarePen, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { KnowledgeDocument, KnowledgeSource } from '../../../../contract/knowledge.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/overlays/menu.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { toItem } from '../knowledge-parts.tsx';
import { changeDocument, deleteDocument } from './document-actions.ts';

const icon = 'size-4';

export interface DocumentMenuProps {
  document: KnowledgeDocument;
  kind: KnowledgeSource['kind'] | undefined;
  onDeleted?(): void;
}

export function DocumentMenu({ document, kind, onDeleted }: DocumentMenuProps) {
  const { id, title, state, version, publishedVersion, audience } = document;
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const isInternal = audience === 'internal';
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label={t('knowledge.document.actions', { title })} tip={false}>
            <Ellipsis className={icon} />
          </IconButton>
        }
      >
        {kind === 'articles' && (
          <MenuItem icon={<SquarePen className={icon} />} onSelect={() => void navigate(toItem('edit', id))}>
            {t('knowledge.article.edit')}
          </MenuItem>
        )}
        {version > 0 && publishedVersion !== version && (
          <MenuItem
            icon={<Eye className={icon} />}
            onSelect={() => void changeDocument(id, { state: 'published' })}
          >
            {t('knowledge.document.publish')}
          </MenuItem>
        )}
        {state === 'published' && (
          <MenuItem
            icon={<EyeOff className={icon} />}
            onSelect={() => void changeDocument(id, { state: 'draft' })}
          >
            {t('knowledge.document.unpublish')}
          </MenuItem>
        )}
        <MenuItem
          icon={isInternal ? <LockOpen className={icon} /> : <Lock className={icon} />}
          onSelect={() => void changeDocument(id, { audience: isInternal ? 'public' : 'internal' })}
        >
          {isInternal ? t('knowledge.document.makePublic') : t('knowledge.document.makeInternal')}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={<Trash2 className={icon} />} danger onSelect={() => setDeleting(true)}>
          {t('ui.delete')}
        </MenuItem>
      </Menu>
      {isDeleting && (
        <DeleteDocument document={document} onClose={() => setDeleting(false)} onDeleted={onDeleted} />
      )}
    </>
  );
}

function DeleteDocument({
  document,
  onClose,
  onDeleted,
}: {
  document: KnowledgeDocument;
  onClose(): void;
  onDeleted: (() => void) | undefined;
}) {
  const [busy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      await deleteDocument(document);
      onClose();
      onDeleted?.();
    } catch (error) {
      toast.failed(t('knowledge.document.deleteFailed'), error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('knowledge.document.deleteTitle', { title: document.title })}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="danger" busy={busy} onClick={() => void remove()}>
            {t('ui.delete')}
          </Button>
        </>
      }
    >
      <p className="text-pretty">{t('knowledge.document.deleteText')}</p>
    </Dialog>
  );
}

/** The settings of a board; each part is saved separately. */
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { BoardDot } from '../../app/board-dot.tsx';
import { PageHeader } from '../../app/page-header.tsx';
import { RulesUsing } from '../../automations/rules-using.tsx';
import { api } from '../../data/api.ts';
import { reloadBoards, useKanbans } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { ConfirmByName } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FieldsSettings } from './fields-settings.tsx';
import { GeneralSettings } from './general-settings.tsx';
import { MembersSettings } from './members-settings.tsx';
import { StatusesSettings } from './statuses-settings.tsx';

const sections = ['general', 'statuses', 'fields', 'members'] as const;
type Section = (typeof sections)[number];

/** `#fields` opens that section. */
const sectionOfAddress = (): Section => sections.find((name) => location.hash === `#${name}`) ?? 'general';

export function BoardSettingsPage() {
  const { boardId } = useParams({ from: '/shell/boards/$boardId/settings' });
  const board = useKanbans().find(({ slug, id }) => slug === boardId || id === boardId);
  const mayManageBoards = useMay('boards.manage');
  const mayManageFields = useMay('fields.manage');
  const seesRecords = useMay('records.view');
  const shown = sections.filter((name) => (name === 'fields' ? mayManageFields : mayManageBoards));
  const [chosen, setSection] = useState(sectionOfAddress);
  const section = shown.includes(chosen) ? chosen : shown[0];
  if (!board) return null;
  if (!section) return <EmptyState title={t('error.forbidden.title')} text={t('error.forbidden.text')} />;
  const names: { [name in Section]: string } = {
    general: t('boardSettings.general'),
    statuses: t('boardSettings.statuses'),
    fields: t('boardSettings.fields'),
    members: t('boardSettings.members'),
  };
  return (
    <>
      <PageHeader
        title={t('boardSettings.title', { name: board.name })}
        mark={<BoardDot id={board.id} />}
        actions={
          seesRecords && (
            <Link
              to="/boards/$boardId"
              params={{ boardId: board.slug }}
              className="inline-flex h-7 items-center gap-1.5 rounded-control border border-line-strong px-2.5 font-medium whitespace-nowrap hover:bg-hover"
            >
              <ArrowLeft className="size-3.5" />
              <span className="max-sm:sr-only">{t('boardSettings.back')}</span>
            </Link>
          )
        }
      />
      <div className="flex min-h-0 flex-1 max-md:flex-col">
        <nav
          aria-label={t('boardSettings.sections')}
          className="flex shrink-0 gap-px border-line p-2 max-md:overflow-x-auto max-md:border-b md:w-52 md:flex-col md:border-r"
        >
          {shown.map((name) => (
            <button
              key={name}
              type="button"
              aria-current={section === name ? 'page' : undefined}
              onClick={() => setSection(name)}
              className={cx(
                'flex h-7 items-center rounded-control px-2 text-left whitespace-nowrap text-muted transition-colors hover:bg-hover hover:text-ink',
                section === name && 'bg-pressed font-medium text-ink!',
              )}
            >
              {names[name]}
            </button>
          ))}
        </nav>
        <div className="min-h-0 flex-1 overflow-y-auto px-4 py-6 md:px-10">
          <div className="flex max-w-[640px] flex-col gap-6">
            <h2 className="text-lg font-semibold">{names[section]}</h2>
            {section === 'general' && (
              <>
                <GeneralSettings board={board} />
                <DeleteBoard board={board} />
              </>
            )}
            {section === 'statuses' && <StatusesSettings key={board.id} board={board} />}
            {section === 'fields' && <FieldsSettings board={board} />}
            {section === 'members' && <MembersSettings board={board} />}
          </div>
        </div>
      </div>
    </>
  );
}

function DeleteBoard({ board }: { board: Kanban }) {
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const remove = async () => {
    try {
      await api('DELETE', `/kanbans/${board.id}`);
      await navigate({ to: '/inbox' });
      await reloadBoards();
      toast.done(t('boardSettings.deleted', { name: board.name }));
    } catch (error) {
      toast.failed(t('boardSettings.deleteFailed'), error);
    }
  };
  return (
    <section className="mt-6 flex items-center justify-between gap-4 border-t border-line pt-6">
      <div>
        <h3 className="font-medium">{t('boardSettings.delete')}</h3>
        <p className="text-muted">
          {board.isDefault ? t('boardSettings.deleteDefault') : t('boardSettings.deleteText')}
        </p>
      </div>
      <Button tone="danger" disabled={board.isDefault} onClick={() => setOpen(true)}>
        {t('ui.delete')}
      </Button>
      <ConfirmByName
        open={open}
        onOpenChange={setOpen}
        title={t('boardSettings.deleteTitle', { name: board.name })}
        consequence={t('boardSettings.deleteConsequence')}
        name={board.name}
        action={t('boardSettings.delete')}
        onConfirm={remove}
      >
        <RulesUsing id={board.id} />
      </ConfirmByName>
    </section>
  );
}

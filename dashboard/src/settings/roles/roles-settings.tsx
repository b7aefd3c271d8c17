import { useQuery } from '@tanstack/react-query';
import { KeySquare } from 'lucide-react';
import { useState } from 'react';
import type { Role } from '../../../../contract/roles/roles.ts';
import { useIsAdmin } from '../../data/session.ts';
import { t, tn } from '../../texts/texts.ts';
import { Badge } from '../../ui/display/badge.tsx';
import { CreateButton, EntityList } from '../parts/entity-list.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { DeleteRole } from './delete-role.tsx';
import { RoleForm } from './role-form.tsx';
import { nameOfRole, rolesQuery } from './roles-data.ts';

export default function RolesSettings() {
  const roles = useQuery(rolesQuery);
  const isAdmin = useIsAdmin();
  const [open, setOpen] = useState<Role | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Role | null>(null);
  return (
    <Section
      title={t('settings.roles')}
      description={t('roles.text')}
      actions={isAdmin && <CreateButton label={t('roles.new')} onClick={() => setOpen('new')} />}
    >
      <Answer query={roles}>
        {(list) => (
          <EntityList
            label={t('settings.roles')}
            items={list}
            row={(role) => (
              <Row
                key={role.id}
                mark={
                  <RowIcon>
                    <KeySquare className="size-4" />
                  </RowIcon>
                }
                title={nameOfRole(role)}
                badges={role.isBuiltIn && <Badge>{t('roles.builtIn')}</Badge>}
                text={textOf(role)}
                end={
                  <span className="text-sm whitespace-nowrap text-muted">
                    {tn('roles.people', role.userCount)}
                  </span>
                }
                onOpen={isAdmin && !role.isBuiltIn ? () => setOpen(role) : undefined}
              />
            )}
          />
        )}
      </Answer>
      {open && (
        <RoleForm
          role={open === 'new' ? null : open}
          onClose={() => setOpen(null)}
          onDelete={(role) => {
            setOpen(null);
            setDeleting(role);
          }}
        />
      )}
      {deleting && <DeleteRole role={deleting} onClose={() => setDeleting(null)} />}
    </Section>
  );
}

function textOf({ id, isBuiltIn, description, permissions }: Role): string {
  if (isBuiltIn) return t(id === 'admin' ? 'roles.admin.text' : 'roles.operator.text');
  const count = tn('roles.count', permissions.length);
  return description ? `${description} · ${count}` : count;
}

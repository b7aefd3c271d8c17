/** What the list of sections says of each. */
import type { ComponentType, ReactNode } from 'react';
import type { Permission } from '../../../../contract/roles/permissions.ts';

type View<Props = object> = ComponentType<Props>;

export interface SettingsSectionEntry {
  /** The last part of its address. */
  id: string;
  label(): string;
  icon: ReactNode;
  /** Others see neither the entry nor the view; the API rejects them anyway. */
  for: 'everyone' | 'instance' | Permission;
  view: View;
  /** Of one of its things, at `/settings/{id}/{itemId}`. */
  item?: View<{ itemId: string }>;
}
export interface SettingsGroup {
  label(): string;
  sections: readonly SettingsSectionEntry[];
}

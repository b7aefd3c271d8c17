/** What the settings know about each of their sections. */
import type { ComponentType, LazyExoticComponent, ReactNode } from 'react';

type View<Props = object> = LazyExoticComponent<ComponentType<Props>>;

export interface SettingsSectionEntry {
  /** The last part of its address. */
  id: string;
  label(): string;
  icon: ReactNode;
  /** Others see neither the entry nor the view; the API rejects them anyway. */
  for: 'everyone' | 'admin' | 'instance';
  view: View;
  /** Of one of its things, at `/settings/{id}/{itemId}`. */
  item?: View<{ itemId: string }>;
}
export interface SettingsGroup {
  label(): string;
  sections: readonly SettingsSectionEntry[];
}

export function RecordPanelRoute() {
  return null;
}

/** Components that are loaded on first use. */
export const parts = {
  artifacts: () => import("./ArtifactUpload.tsx"),
  registry: () => import("./RegistryUpload.tsx"),
  transfer: () => import("./TransferDialog.tsx"),
  register: () => import("./RegisterDialog.tsx"),
  sweep: () => import("./SweepDialog.tsx"),
  preview: () => import("../../parts/preview/FilePreview.tsx"),
  text: () => import("../../parts/preview/TextView.tsx")
}

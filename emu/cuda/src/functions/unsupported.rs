//! The functions that are not emulated. Each fails with a message.

use cudarc::driver::sys::CUresult;

macro_rules! unsupported {
    ($($name:ident)*) => {
        $(
            /// Ignores the arguments that a caller passes.
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> CUresult {
                crate::exports::call(stringify!($name), false, |_| crate::driver::unsupported("this function"))
            }
        )*

        pub fn find(name: &str) -> Option<usize> {
            match name {
                $(stringify!($name) => Some(($name as extern "C" fn() -> CUresult) as usize),)*
                _ => None,
            }
        }
    };
}

unsupported! {
    cuArray3DCreate_v2 cuArray3DGetDescriptor_v2 cuArrayCreate_v2 cuArrayDestroy cuArrayGetDescriptor_v2
    cuArrayGetMemoryRequirements cuArrayGetPlane cuArrayGetSparseProperties cuCoredumpDeregisterCompleteCallback
    cuCoredumpDeregisterStartCallback cuCoredumpGetAttribute cuCoredumpGetAttributeGlobal
    cuCoredumpRegisterCompleteCallback cuCoredumpRegisterStartCallback cuCoredumpSetAttribute
    cuCoredumpSetAttributeGlobal cuCtxAttach cuCtxDetach cuCtxDisablePeerAccess cuCtxFromGreenCtx
    cuCtxGetDevResource cuCtxGetDevice_v2 cuCtxGetExecAffinity cuCtxGetSharedMemConfig cuCtxRecordEvent
    cuCtxSetSharedMemConfig cuCtxSynchronize_v2 cuCtxWaitEvent cuDestroyExternalMemory
    cuDestroyExternalSemaphore cuDevResourceGenerateDesc cuDevSmResourceSplit cuDevSmResourceSplitByCount
    cuDeviceGetCliqueCount cuDeviceGetCliqueInfo cuDeviceGetDevResource cuDeviceGetFabricClusterUuid
    cuDeviceGetGraphMemAttribute cuDeviceGetHostAtomicCapabilities cuDeviceGetLuid
    cuDeviceGetP2PAtomicCapabilities cuDeviceGetProperties cuDeviceGetTexture1DLinearMaxWidth
    cuDeviceGraphMemTrim cuDeviceRegisterAsyncNotification cuDeviceSetGraphMemAttribute
    cuDeviceUnregisterAsyncNotification cuExternalMemoryGetMappedBuffer cuExternalMemoryGetMappedMipmappedArray
    cuFlushGPUDirectRDMAWrites cuFuncGetParamCount cuFuncSetBlockShape cuFuncSetSharedSize cuGetExportTable
    cuGraphAddBatchMemOpNode cuGraphAddChildGraphNode cuGraphAddDependencies cuGraphAddDependencies_v2
    cuGraphAddEmptyNode cuGraphAddEventRecordNode cuGraphAddEventWaitNode cuGraphAddExternalSemaphoresSignalNode
    cuGraphAddExternalSemaphoresWaitNode cuGraphAddHostNode cuGraphAddKernelNode cuGraphAddKernelNode_v2
    cuGraphAddMemAllocNode cuGraphAddMemFreeNode cuGraphAddMemcpyNode cuGraphAddMemsetNode cuGraphAddNode
    cuGraphAddNode_v2 cuGraphAddNode_v3 cuGraphBatchMemOpNodeGetParams cuGraphBatchMemOpNodeSetParams
    cuGraphChildGraphNodeGetGraph cuGraphClone cuGraphConditionalHandleCreate cuGraphDebugDotPrint
    cuGraphDestroyNode cuGraphEventRecordNodeGetEvent cuGraphEventRecordNodeSetEvent
    cuGraphEventWaitNodeGetEvent cuGraphEventWaitNodeSetEvent cuGraphExecBatchMemOpNodeSetParams
    cuGraphExecChildGraphNodeSetParams cuGraphExecEventRecordNodeSetEvent cuGraphExecEventWaitNodeSetEvent
    cuGraphExecExternalSemaphoresSignalNodeSetParams cuGraphExecExternalSemaphoresWaitNodeSetParams
    cuGraphExecGetFlags cuGraphExecGetId cuGraphExecHostNodeSetParams cuGraphExecKernelNodeSetParams
    cuGraphExecKernelNodeSetParams_v2 cuGraphExecMemcpyNodeSetParams cuGraphExecMemsetNodeSetParams
    cuGraphExecNodeSetParams cuGraphExecUpdate cuGraphExecUpdate_v2 cuGraphExternalSemaphoresSignalNodeGetParams
    cuGraphExternalSemaphoresSignalNodeSetParams cuGraphExternalSemaphoresWaitNodeGetParams
    cuGraphExternalSemaphoresWaitNodeSetParams cuGraphGetEdges cuGraphGetEdges_v2 cuGraphGetId cuGraphGetNodes
    cuGraphGetRootNodes cuGraphHostNodeGetParams cuGraphHostNodeSetParams cuGraphInstantiateWithParams
    cuGraphInstantiate_v2 cuGraphKernelNodeCopyAttributes cuGraphKernelNodeGetAttribute
    cuGraphKernelNodeGetParams cuGraphKernelNodeGetParams_v2 cuGraphKernelNodeSetAttribute
    cuGraphKernelNodeSetParams cuGraphKernelNodeSetParams_v2 cuGraphMemAllocNodeGetParams
    cuGraphMemFreeNodeGetParams cuGraphMemcpyNodeGetParams cuGraphMemcpyNodeSetParams cuGraphMemsetNodeGetParams
    cuGraphMemsetNodeSetParams cuGraphNodeFindInClone cuGraphNodeGetContainingGraph cuGraphNodeGetDependencies
    cuGraphNodeGetDependencies_v2 cuGraphNodeGetDependentNodes cuGraphNodeGetDependentNodes_v2
    cuGraphNodeGetEnabled cuGraphNodeGetLocalId cuGraphNodeGetParams cuGraphNodeGetToolsId cuGraphNodeGetType
    cuGraphNodeSetEnabled cuGraphNodeSetParams cuGraphNodeSetParams_v2 cuGraphReleaseUserObject
    cuGraphRemoveDependencies cuGraphRemoveDependencies_v2 cuGraphRetainUserObject cuGraphicsMapResources
    cuGraphicsResourceGetMappedMipmappedArray cuGraphicsResourceGetMappedPointer_v2
    cuGraphicsResourceSetMapFlags_v2 cuGraphicsSubResourceGetMappedArray cuGraphicsUnmapResources
    cuGraphicsUnregisterResource cuGreenCtxCreate cuGreenCtxDestroy cuGreenCtxGetDevResource cuGreenCtxGetId
    cuGreenCtxRecordEvent cuGreenCtxStreamCreate cuGreenCtxWaitEvent cuImportExternalMemory
    cuImportExternalSemaphore cuIpcCloseMemHandle cuIpcGetEventHandle cuIpcGetMemHandle cuIpcOpenEventHandle
    cuIpcOpenMemHandle_v2 cuKernelGetParamCount cuLaunch cuLaunchCooperativeKernelMultiDevice cuLaunchGrid
    cuLaunchGridAsync cuLaunchHostFunc_v2 cuLibraryGetManaged cuLibraryGetUnifiedFunction cuLinkAddData_v2
    cuLinkAddFile_v2 cuLinkComplete cuLinkCreate_v2 cuLinkDestroy cuLogicalEndpointAddDevice
    cuLogicalEndpointBindAddr cuLogicalEndpointBindMem cuLogicalEndpointCreate cuLogicalEndpointDestroy
    cuLogicalEndpointExport cuLogicalEndpointGetLimits cuLogicalEndpointIdRelease cuLogicalEndpointIdReserve
    cuLogicalEndpointImport cuLogicalEndpointQuery cuLogicalEndpointUnbind cuLogsCurrent cuLogsDumpToFile
    cuLogsDumpToMemory cuLogsRegisterCallback cuLogsUnregisterCallback cuMemAddressFree cuMemAddressReserve
    cuMemAdvise cuMemAdvise_v2 cuMemBatchDecompressAsync cuMemCreate cuMemDiscardAndPrefetchBatchAsync
    cuMemDiscardBatchAsync cuMemExportToShareableHandle cuMemGetAccess cuMemGetAllocationGranularity
    cuMemGetAllocationPropertiesFromHandle cuMemGetDefaultMemPool cuMemGetHandleForAddressRange
    cuMemGetLocationInfo cuMemGetMemPool cuMemImportFromShareableHandle cuMemMap cuMemMapArrayAsync
    cuMemPoolExportPointer cuMemPoolExportToShareableHandle cuMemPoolGetAccess
    cuMemPoolImportFromShareableHandle cuMemPoolImportPointer cuMemPoolSetAccess cuMemPrefetchAsync_v2
    cuMemPrefetchBatchAsync cuMemRangeGetAttribute cuMemRangeGetAttributes cuMemRelease
    cuMemRetainAllocationHandle cuMemSetAccess cuMemSetMemPool cuMemUnmap cuMemcpy3DBatchAsync
    cuMemcpy3DBatchAsync_v2 cuMemcpy3DPeer cuMemcpy3DPeerAsync cuMemcpy3DWithAttributesAsync cuMemcpyAtoA_v2
    cuMemcpyAtoD_v2 cuMemcpyAtoHAsync_v2 cuMemcpyAtoH_v2 cuMemcpyBatchAsync cuMemcpyBatchAsync_v2
    cuMemcpyDtoA_v2 cuMemcpyHtoAAsync_v2 cuMemcpyHtoA_v2 cuMemcpyWithAttributesAsync cuMipmappedArrayCreate
    cuMipmappedArrayDestroy cuMipmappedArrayGetLevel cuMipmappedArrayGetMemoryRequirements
    cuMipmappedArrayGetSparseProperties cuModuleGetSurfRef cuModuleGetTexRef cuMulticastAddDevice
    cuMulticastBindAddr cuMulticastBindAddr_v2 cuMulticastBindMem cuMulticastBindMem_v2 cuMulticastCreate
    cuMulticastGetGranularity cuMulticastUnbind cuParamSetSize cuParamSetTexRef cuParamSetf cuParamSeti
    cuParamSetv cuPointerSetAttribute cuProfilerInitialize cuSignalExternalSemaphoresAsync
    cuStreamAttachMemAsync cuStreamBatchMemOp cuStreamBatchMemOp_v2 cuStreamBeginCaptureToCig
    cuStreamBeginCaptureToGraph cuStreamBeginRecaptureToGraph cuStreamCopyAttributes cuStreamEndCaptureToCig
    cuStreamGetAttribute cuStreamGetCaptureInfo cuStreamGetCtx_v2 cuStreamGetDevResource cuStreamGetGreenCtx
    cuStreamSetAttribute cuStreamUpdateCaptureDependencies cuStreamUpdateCaptureDependencies_v2
    cuStreamWaitValue32 cuStreamWaitValue32_v2 cuStreamWaitValue64 cuStreamWaitValue64_v2 cuStreamWriteValue32
    cuStreamWriteValue32_v2 cuStreamWriteValue64 cuStreamWriteValue64_v2 cuSurfObjectCreate cuSurfObjectDestroy
    cuSurfObjectGetResourceDesc cuSurfRefGetArray cuSurfRefSetArray cuTensorMapEncodeIm2colWide
    cuTexObjectCreate cuTexObjectDestroy cuTexObjectGetResourceDesc cuTexObjectGetResourceViewDesc
    cuTexObjectGetTextureDesc cuTexRefCreate cuTexRefDestroy cuTexRefGetAddressMode cuTexRefGetAddress_v2
    cuTexRefGetArray cuTexRefGetBorderColor cuTexRefGetFilterMode cuTexRefGetFlags cuTexRefGetFormat
    cuTexRefGetMaxAnisotropy cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias cuTexRefGetMipmapLevelClamp
    cuTexRefGetMipmappedArray cuTexRefSetAddress2D_v3 cuTexRefSetAddressMode cuTexRefSetAddress_v2
    cuTexRefSetArray cuTexRefSetBorderColor cuTexRefSetFilterMode cuTexRefSetFlags cuTexRefSetFormat
    cuTexRefSetMaxAnisotropy cuTexRefSetMipmapFilterMode cuTexRefSetMipmapLevelBias cuTexRefSetMipmapLevelClamp
    cuTexRefSetMipmappedArray cuUserObjectCreate cuUserObjectRelease cuUserObjectRetain
    cuWaitExternalSemaphoresAsync
}

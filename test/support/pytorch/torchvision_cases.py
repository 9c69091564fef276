# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of torchvision's models, and of networks around them."""

import torch
from torch import nn

from case import Output, add, image


def vision(name, **more):
    def make():
        import torchvision

        return torchvision.models.get_model(name, weights=None, **more)

    return make


def vision_class(path, *arguments, **more):
    """A class of torchvision with sizes of its own."""

    def make():
        import importlib

        module, name = path.rsplit(".", 1)
        return getattr(importlib.import_module(f"torchvision.models.{module}"), name)(*arguments, **more)

    return make


def resnet():
    from torchvision.models.resnet import Bottleneck, ResNet

    return ResNet(Bottleneck, [1, 1, 1, 1], num_classes=10, groups=2, width_per_group=16)


def feature_pyramid():
    from torchvision.models.detection.backbone_utils import BackboneWithFPN
    from torchvision.models.resnet import BasicBlock, ResNet

    body = ResNet(BasicBlock, [1, 1, 1, 1], num_classes=10)
    layers = {"layer1": "0", "layer2": "1", "layer3": "2"}
    return Output(
        BackboneWithFPN(body, layers, [64, 128, 256], 16),
        lambda y: y["0"] + nn.functional.interpolate(y["2"], scale_factor=4),
    )


def second_swin(window=4):
    from torchvision.models import swin_transformer as swin

    return swin.SwinTransformer(
        [2, 2], 16, [2, 2], [2, 4], [window, window], num_classes=10, block=swin.SwinTransformerBlockV2, downsample_layer=swin.PatchMergingV2
    )  # fmt: skip


def region_head():
    """Anchors' scores and boxes of RetinaNet, without the boxes' selection."""
    from torchvision.models.detection.retinanet import RetinaNetHead

    class Head(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Conv2d(3, 16, 3, 2, 1)
            self.head = RetinaNetHead(16, 3, 5, norm_layer=lambda width: nn.GroupNorm(4, width))

        def forward(self, x):
            y = self.head([nn.functional.relu(self.body(x))])
            return torch.cat([y["cls_logits"], y["bbox_regression"]], -1)

    return Head()


add("tv_resnext", resnet, image())
add("tv_mobilenet_v2", vision("mobilenet_v2", num_classes=10, width_mult=0.35), image(4, 64), lr=3e-4)
add("tv_mobilenet_v3", vision("mobilenet_v3_small", num_classes=10, width_mult=0.5), image(4, 64), lr=3e-4)
add("tv_efficientnet", vision("efficientnet_b0", num_classes=10), image(4, 64), lr=3e-4)
add("tv_shufflenet", vision("shufflenet_v2_x0_5", num_classes=10), image(4, 64), lr=3e-4)
add("tv_squeezenet", vision("squeezenet1_1", num_classes=10), image(2, 48), lr=3e-5)
add("tv_densenet", vision_class("densenet.DenseNet", 8, (2, 2, 2), 16, num_classes=10), image())
add("tv_googlenet", vision("googlenet", num_classes=10, aux_logits=False, init_weights=False), image(2))
add("tv_regnet", vision("regnet_y_400mf", num_classes=10), image(2))
add("tv_mnasnet", vision("mnasnet0_5", num_classes=10), image())
add(
    "tv_swin",
    vision_class("swin_transformer.SwinTransformer", [2, 2], 16, [2, 2], [2, 4], [4, 4], num_classes=10),
    image(2),
)
add("tv_vit", vision_class("vision_transformer.VisionTransformer", 32, 8, 2, 2, 16, 32, num_classes=10), image(2))
add("tv_maxvit", vision_class("maxvit.MaxVit", (32, 32), 8, 4, [8, 16], [1, 1], 4, 0.1, num_classes=10), image(2))
add(
    "tv_lraspp",
    lambda: Output(vision("lraspp_mobilenet_v3_large", weights_backbone=None, num_classes=4)(), lambda y: y["out"]),
    image(2),
)
add(
    "tv_deeplab",
    lambda: Output(vision("deeplabv3_mobilenet_v3_large", weights_backbone=None, num_classes=4)(), lambda y: y["out"]),
    image(2),
)
add("tv_swin_v2", second_swin, image(2))
add("tv_swin_v2_padded", lambda: second_swin(3), image(2))
add("tv_video", vision("mc3_18", num_classes=10), lambda: {"x": torch.randn(1, 3, 4, 16, 16)})
add("tv_factored_video", vision("r2plus1d_18", num_classes=10), lambda: {"x": torch.randn(2, 3, 4, 16, 16)})
add("tv_pyramid", feature_pyramid, image(2))
add("tv_retina", region_head, image(2, 16), "mse")


def detector():
    """RetinaNet with its losses, of anchors that are matched outside of the model."""

    class Detector(nn.Module):
        def __init__(self):
            super().__init__()
            whole = vision("retinanet_resnet50_fpn", weights_backbone=None, num_classes=4)()
            self.backbone, self.head = whole.backbone, whole.head

        def forward(self, x, labels, boxes):
            from torchvision.ops import sigmoid_focal_loss

            y = self.head(list(self.backbone(x).values()))
            is_object = (labels.sum(-1, keepdim=True) > 0).to(x.dtype)
            classes = sigmoid_focal_loss(y["cls_logits"], labels.to(x.dtype), reduction="sum")
            distance = nn.functional.smooth_l1_loss(y["bbox_regression"], boxes, reduction="none")
            return (classes + (distance * is_object).sum()) / is_object.sum().clamp(min=1)

    return Detector()


#: Nine at each place of five levels, of an image of 64 pixels.
ANCHORS = 9 * (8**2 + 4**2 + 2**2 + 1 + 1)
add(
    "tv_detector",
    detector,
    lambda: image(2, 64)()
    | {
        "labels": nn.functional.one_hot((torch.rand(2, ANCHORS) * 40).long().clamp(max=4), 5)[..., :4],
        "boxes": torch.randn(2, ANCHORS, 4),
    },
    "output",
)

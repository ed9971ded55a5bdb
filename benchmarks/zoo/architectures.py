"""The second set: many architectures of timm and transformers, with random weights.

`build(name)` gives an `Architecture`: a module in eval mode that takes and gives plain
tensors, its example inputs, the dimensions that vary, and size tuples for them. Nothing
is downloaded. Models of timm are as their class makes them, at a small input; models of
transformers have their class's layers, few of them and narrow.
"""

import dataclasses
import inspect
from typing import Dict, List, Tuple

import torch
from torch import nn

import models  # first: torchvision, which timm imports, may need what it declares

import timm
import transformers

#: timm's name -> (side of the image, whether height and width may vary)
IMAGES: Dict[str, Tuple[int, bool]] = {
    "convnext_atto": (64, True), "efficientnet_b0": (64, True), "regnety_002": (64, True),
    "vit_tiny_patch16_224": (224, False), "swin_tiny_patch4_window7_224": (224, False),
    "mobilenetv3_small_100": (64, True), "densenet121": (64, True), "inception_v3": (128, True),
    "maxvit_rmlp_pico_rw_256": (256, False), "mixer_s32_224": (224, False), "poolformer_s12": (64, True),
    "edgenext_xx_small": (96, True), "coatnet_nano_rw_224": (224, False), "ghostnet_100": (64, True),
    "legacy_seresnet18": (64, True), "resnest14d": (64, True), "res2net50_26w_4s": (64, True),
    "hrnet_w18_small": (64, False), "dla34": (64, True), "vgg11_bn": (64, False), "nf_resnet26": (64, True),
    "repvgg_a0": (64, True), "cspresnet50": (64, True), "dpn68": (64, True), "mnasnet_small": (64, True),
    "levit_128s": (224, False), "crossvit_tiny_240": (240, False), "cait_xxs24_224": (224, False),
    "xcit_nano_12_p16_224": (224, False), "twins_pcpvt_small": (224, False), "pit_ti_224": (224, False),
    "visformer_tiny": (224, False), "convit_tiny": (224, False), "tnt_s_legacy_patch16_224": (224, False),
    "coat_tiny": (224, False), "gcvit_xxtiny": (224, False), "focalnet_tiny_srf": (64, False),
    "davit_tiny": (64, False), "efficientformer_l1": (224, False), "efficientformerv2_s0": (224, False),
    "fastvit_t8": (64, False), "mobilevit_xxs": (64, False), "mobilevitv2_050": (64, False),
    "mobileone_s0": (64, True), "hgnetv2_b0": (64, True), "rexnet_100": (64, True), "skresnet18": (64, True),
    "volo_d1_224": (224, False), "resmlp_12_224": (224, False), "gmlp_s16_224": (224, False),
    "sequencer2d_s": (224, False), "convmixer_1024_20_ks9_p14": (56, True), "caformer_s18": (64, False),
    "inception_next_tiny": (64, True), "nextvit_small": (64, False), "pvt_v2_b0": (64, False),
    "tiny_vit_5m_224": (224, False), "starnet_s1": (64, True), "repvit_m0_9": (64, True),
    "mambaout_femto": (64, True), "hiera_tiny_224": (224, False), "swinv2_cr_tiny_ns_224": (224, False),
    "swinv2_tiny_window8_256": (256, False), "eva02_tiny_patch14_224": (224, False), "beit_base_patch16_224": (224, False),
    "rdnet_tiny": (64, True), "mvitv2_tiny": (224, False), "nest_tiny": (224, False), "halonet26t": (128, False),
    "botnet26t_256": (256, False), "lambda_resnet26t": (128, False), "efficientvit_b0": (64, True),
    "efficientvit_m0": (224, False), "ese_vovnet19b_slim": (64, True), "lcnet_050": (64, True),
    "ghostnetv2_100": (64, True), "tf_efficientnetv2_b0": (64, True), "selecsls42b": (64, True),
    "xception41": (64, True), "senet154": (64, True), "vit_relpos_small_patch16_224": (224, False),
    "dm_nfnet_f0": (64, True), "darknet53": (64, True), "tresnet_m": (64, True), "mixnet_s": (64, True),
    "spnasnet_100": (64, True), "fbnetc_100": (64, True), "gernet_s": (64, True), "eca_botnext26ts_256": (256, False),
    "shvit_s1": (64, True), "hrnet_w18_ssld": (64, False),
}

TINY = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, vocab_size=500)
GROUPED = dict(TINY, num_key_value_heads=2)
NARROW = dict(d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
              encoder_ffn_dim=128, decoder_ffn_dim=128, vocab_size=500)

#: name -> (configuration, model, what the configuration is given)
ENCODERS = {
    "bert": ("BertConfig", "BertModel", TINY),
    "roberta": ("RobertaConfig", "RobertaForMaskedLM", TINY),
    "xlm_roberta": ("XLMRobertaConfig", "XLMRobertaForTokenClassification", TINY),
    "camembert": ("CamembertConfig", "CamembertModel", TINY),
    "distilbert": ("DistilBertConfig", "DistilBertModel", dict(dim=64, n_layers=2, n_heads=4, hidden_dim=128,
                                                               vocab_size=500)),
    "albert": ("AlbertConfig", "AlbertModel", dict(TINY, embedding_size=32)),
    "electra": ("ElectraConfig", "ElectraForPreTraining", dict(TINY, embedding_size=32)),
    "deberta": ("DebertaConfig", "DebertaModel", dict(TINY, relative_attention=True, pos_att_type=["c2p", "p2c"])),
    "deberta_v2": ("DebertaV2Config", "DebertaV2Model", dict(TINY, relative_attention=True, position_buckets=16,
                                                             pos_att_type=["c2p", "p2c"], share_att_key=True,
                                                             norm_rel_ebd="layer_norm")),
    "mpnet": ("MPNetConfig", "MPNetModel", TINY),
    "modernbert": ("ModernBertConfig", "ModernBertModel", dict(TINY, pad_token_id=0, local_attention=8)),
    "convbert": ("ConvBertConfig", "ConvBertModel", dict(TINY, embedding_size=64)),
    "squeezebert": ("SqueezeBertConfig", "SqueezeBertModel", dict(TINY, embedding_size=64)),
    "mobilebert": ("MobileBertConfig", "MobileBertModel", dict(TINY, embedding_size=32, intra_bottleneck_size=32)),
    "roformer": ("RoFormerConfig", "RoFormerModel", TINY),
    "esm": ("EsmConfig", "EsmModel", dict(TINY, pad_token_id=1, position_embedding_type="rotary")),
    "ernie": ("ErnieConfig", "ErnieModel", TINY),
    "nystromformer": ("NystromformerConfig", "NystromformerModel", dict(TINY, num_landmarks=4, segment_means_seq_len=8)),
    "fnet": ("FNetConfig", "FNetModel", TINY),
    "longformer": ("LongformerConfig", "LongformerModel", dict(TINY, attention_window=8, max_position_embeddings=128)),
    "xlnet": ("XLNetConfig", "XLNetModel", dict(vocab_size=500, d_model=64, n_layer=2, n_head=4, d_inner=128)),
    "big_bird": ("BigBirdConfig", "BigBirdModel", dict(TINY, attention_type="original_full")),
    "canine": ("CanineConfig", "CanineModel", dict(TINY, num_hash_buckets=64, max_position_embeddings=128,
                                                   local_transformer_stride=8)),
    "perceiver": ("PerceiverConfig", "PerceiverForMaskedLM", dict(
        num_latents=8, d_latents=32, d_model=32, num_blocks=1, num_self_attends_per_block=2, num_self_attention_heads=2,
        num_cross_attention_heads=2, vocab_size=500, max_position_embeddings=64)),
    "tapas": ("TapasConfig", "TapasModel", TINY),
    "luke": ("LukeConfig", "LukeModel", dict(TINY, entity_vocab_size=10, entity_emb_size=16)),
    "splinter": ("SplinterConfig", "SplinterModel", TINY),
    "megatron_bert": ("MegatronBertConfig", "MegatronBertModel", TINY),
    "rembert": ("RemBertConfig", "RemBertModel", dict(TINY, input_embedding_size=32)),
    "data2vec_text": ("Data2VecTextConfig", "Data2VecTextModel", TINY),
    "layoutlm": ("LayoutLMConfig", "LayoutLMModel", TINY),
    "xmod": ("XLMConfig", "XLMModel", dict(emb_dim=64, n_layers=2, n_heads=4, vocab_size=500)),
    "funnel": ("FunnelConfig", "FunnelBaseModel", dict(block_sizes=[1, 1], d_model=64, n_head=4, d_head=16, d_inner=128,
                                                       vocab_size=500)),
    "t5_encoder": ("T5Config", "T5EncoderModel", dict(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4,
                                                      vocab_size=500)),
    "umt5_encoder": ("UMT5Config", "UMT5EncoderModel", dict(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4,
                                                            vocab_size=500)),
    "clip_text": ("CLIPTextConfig", "CLIPTextModel", dict(TINY, eos_token_id=499)),
    "siglip_text": ("SiglipTextConfig", "SiglipTextModel", dict(TINY, max_position_embeddings=64)),
}
DECODERS = {
    "gpt2": ("GPT2Config", "GPT2LMHeadModel", dict(n_embd=64, n_layer=2, n_head=4, vocab_size=500)),
    "opt": ("OPTConfig", "OPTForCausalLM", dict(TINY, ffn_dim=128, word_embed_proj_dim=64)),
    "llama": ("LlamaConfig", "LlamaForCausalLM", GROUPED),
    "mistral": ("MistralConfig", "MistralForCausalLM", dict(GROUPED, sliding_window=8)),
    "qwen2": ("Qwen2Config", "Qwen2ForCausalLM", GROUPED),
    "qwen3": ("Qwen3Config", "Qwen3ForCausalLM", dict(GROUPED, head_dim=16)),
    "phi": ("PhiConfig", "PhiForCausalLM", TINY),
    "phi3": ("Phi3Config", "Phi3ForCausalLM", dict(GROUPED, pad_token_id=0)),
    "gemma": ("GemmaConfig", "GemmaForCausalLM", dict(GROUPED, head_dim=16)),
    "gemma2": ("Gemma2Config", "Gemma2ForCausalLM", dict(GROUPED, head_dim=16, sliding_window=8)),
    "gemma3": ("Gemma3TextConfig", "Gemma3ForCausalLM", dict(GROUPED, head_dim=16, sliding_window=8)),
    "olmo": ("OlmoConfig", "OlmoForCausalLM", GROUPED),
    "glm4": ("Glm4Config", "Glm4ForCausalLM", dict(GROUPED, head_dim=16, pad_token_id=0)),
    "lfm2": ("Lfm2Config", "Lfm2ForCausalLM", dict(GROUPED, layer_types=["conv", "full_attention"], conv_L_cache=3)),
    "exaone4": ("Exaone4Config", "Exaone4ForCausalLM", dict(GROUPED, sliding_window=8, sliding_window_pattern=2)),
    "diffllama": ("DiffLlamaConfig", "DiffLlamaForCausalLM", GROUPED),
    "bitnet": ("BitNetConfig", "BitNetForCausalLM", GROUPED),
    "gpt_neox": ("GPTNeoXConfig", "GPTNeoXForCausalLM", TINY),
    "gptj": ("GPTJConfig", "GPTJForCausalLM", dict(n_embd=64, n_layer=2, n_head=4, rotary_dim=8, vocab_size=500)),
    "gpt_neo": ("GPTNeoConfig", "GPTNeoForCausalLM", dict(hidden_size=64, num_layers=2, num_heads=4, vocab_size=500,
                                                         attention_types=[[["global", "local"], 1]], window_size=8)),
    "falcon": ("FalconConfig", "FalconForCausalLM", TINY),
    "bloom": ("BloomConfig", "BloomForCausalLM", dict(hidden_size=64, n_layer=2, n_head=4, vocab_size=500)),
    "mpt": ("MptConfig", "MptForCausalLM", dict(d_model=64, n_layers=2, n_heads=4, vocab_size=500)),
    "stablelm": ("StableLmConfig", "StableLmForCausalLM", GROUPED),
    "olmo2": ("Olmo2Config", "Olmo2ForCausalLM", GROUPED),
    "granite": ("GraniteConfig", "GraniteForCausalLM", GROUPED),
    "cohere": ("CohereConfig", "CohereForCausalLM", dict(GROUPED, pad_token_id=0)),
    "starcoder2": ("Starcoder2Config", "Starcoder2ForCausalLM", GROUPED),
    "smollm3": ("SmolLM3Config", "SmolLM3ForCausalLM", dict(GROUPED, pad_token_id=0)),
    "codegen": ("CodeGenConfig", "CodeGenForCausalLM", dict(n_embd=64, n_layer=2, n_head=4, rotary_dim=8,
                                                            vocab_size=500)),
    "biogpt": ("BioGptConfig", "BioGptForCausalLM", TINY),
    "mamba": ("MambaConfig", "MambaForCausalLM", dict(hidden_size=32, num_hidden_layers=2, state_size=8, vocab_size=500)),
    "mixtral": ("MixtralConfig", "MixtralForCausalLM", dict(GROUPED, num_local_experts=4)),
    "xglm": ("XGLMConfig", "XGLMForCausalLM", dict(d_model=64, num_layers=2, attention_heads=4, ffn_dim=128,
                                                   vocab_size=500)),
    "ctrl": ("CTRLConfig", "CTRLLMHeadModel", dict(n_embd=64, n_layer=2, n_head=4, dff=128, vocab_size=500)),
    "openai_gpt": ("OpenAIGPTConfig", "OpenAIGPTLMHeadModel", dict(n_embd=64, n_layer=2, n_head=4, vocab_size=500)),
    "nemotron": ("NemotronConfig", "NemotronForCausalLM", GROUPED),
    "persimmon": ("PersimmonConfig", "PersimmonForCausalLM", TINY),
}
#: name -> (decoder, heads of its keys and values): it takes and gives those of all tokens before
CACHED = {
    "llama_cached": ("llama", 2), "gpt2_cached": ("gpt2", 4), "qwen3_cached": ("qwen3", 2), "mistral_cached": ("mistral", 2),
    "gemma3_cached": ("gemma3", 2), "bloom_cached": ("bloom", 4), "gptj_cached": ("gptj", 4), "falcon_cached": ("falcon", 1),
}
TRANSLATORS = {
    "t5": ("T5Config", "T5ForConditionalGeneration", dict(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4,
                                                          vocab_size=500)),
    "bart": ("BartConfig", "BartForConditionalGeneration", NARROW),
    "mbart": ("MBartConfig", "MBartForConditionalGeneration", NARROW),
    "pegasus": ("PegasusConfig", "PegasusForConditionalGeneration", NARROW),
    "marian": ("MarianConfig", "MarianMTModel", dict(NARROW, pad_token_id=1, decoder_start_token_id=1)),
    "m2m_100": ("M2M100Config", "M2M100ForConditionalGeneration", NARROW),
    "blenderbot": ("BlenderbotConfig", "BlenderbotForConditionalGeneration", NARROW),
    "longt5": ("LongT5Config", "LongT5ForConditionalGeneration", dict(d_model=64, d_kv=16, d_ff=128, num_layers=2,
                                                                      num_heads=4, vocab_size=500, local_radius=4)),
    "prophetnet": ("ProphetNetConfig", "ProphetNetForConditionalGeneration", dict(
        hidden_size=64, num_encoder_layers=2, num_decoder_layers=2, num_encoder_attention_heads=4, ngram=2,
        num_decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, vocab_size=500)),
}
SIGHT = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, image_size=64,
             patch_size=16)
#: name -> (configuration, model, what the configuration is given, side, whether height and width may vary)
VISION = {
    "vit": ("ViTConfig", "ViTForImageClassification", SIGHT, 64, False),
    "deit": ("DeiTConfig", "DeiTForImageClassification", SIGHT, 64, False),
    "beit": ("BeitConfig", "BeitForImageClassification", dict(SIGHT, use_relative_position_bias=True), 64, False),
    "dinov2": ("Dinov2Config", "Dinov2Model", dict(SIGHT, patch_size=8), 64, False),
    "yolos": ("YolosConfig", "YolosForObjectDetection", dict(SIGHT, image_size=[64, 64]), 64, False),
    "clip_vision": ("CLIPVisionConfig", "CLIPVisionModel", SIGHT, 64, False),
    "siglip_vision": ("SiglipVisionConfig", "SiglipVisionModel", SIGHT, 64, False),
    "segformer": ("SegformerConfig", "SegformerForSemanticSegmentation", dict(
        depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 48, 64], decoder_hidden_size=64), 64, True),
    "swin_hf": ("SwinConfig", "SwinForImageClassification", dict(image_size=64, patch_size=2, embed_dim=16, depths=[2, 2],
                                                                 num_heads=[2, 4], window_size=4), 64, False),
    "resnet_hf": ("ResNetConfig", "ResNetForImageClassification", dict(embedding_size=16, hidden_sizes=[16, 32],
                                                                       depths=[1, 1]), 64, True),
    "convnextv2": ("ConvNextV2Config", "ConvNextV2ForImageClassification", dict(hidden_sizes=[16, 32, 48, 64],
                                                                               depths=[1, 1, 2, 1]), 64, True),
    "dpt": ("DPTConfig", "DPTForDepthEstimation", dict(
        SIGHT, num_hidden_layers=4, backbone_out_indices=[0, 1, 2, 3], is_hybrid=False, fusion_hidden_size=32,
        neck_hidden_sizes=[16, 16, 32, 32]), 64, False),
    "glpn": ("GLPNConfig", "GLPNForDepthEstimation", dict(depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 48, 64],
                                                          decoder_hidden_size=32), 64, True),
    "detr": ("DetrConfig", "DetrForObjectDetection", dict(
        use_timm_backbone=False, use_pretrained_backbone=False, d_model=64, encoder_layers=2, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, num_queries=10,
        backbone=None, backbone_config=None), 64, False),
    "mobilevit_hf": ("MobileViTConfig", "MobileViTForImageClassification", dict(
        image_size=64, hidden_sizes=[32, 48, 64], neck_hidden_sizes=[8, 16, 24, 32, 40, 48, 96]), 64, False),
    "levit_hf": ("LevitConfig", "LevitForImageClassification", dict(), 224, False),
    "cvt": ("CvtConfig", "CvtForImageClassification", dict(embed_dim=[16, 32, 64], depth=[1, 1, 2],
                                                           num_heads=[1, 2, 4]), 64, False),
    "bit": ("BitConfig", "BitForImageClassification", dict(embedding_size=16, hidden_sizes=[32, 64], depths=[1, 1],
                                                           num_groups=4), 64, True),
    "swin2sr": ("Swin2SRConfig", "Swin2SRForImageSuperResolution", dict(
        image_size=32, embed_dim=24, depths=[2, 2], num_heads=[2, 2], window_size=4), 32, False),
    "sam_vision": ("SamVisionConfig", "SamVisionModel", dict(
        SIGHT, output_channels=32, mlp_dim=128, window_size=3, global_attn_indexes=[1]), 64, False),
    "upernet_like": ("PvtConfig", "PvtForImageClassification", dict(
        image_size=64, depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 64, 64], num_attention_heads=[1, 2, 4, 4]), 64, False),
}
BACKBONE = dict(embedding_size=16, hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1],
                out_features=["stage2", "stage3", "stage4"])
DETECT = dict(d_model=32, encoder_ffn_dim=64, decoder_layers=2, decoder_ffn_dim=64, encoder_attention_heads=4,
              decoder_attention_heads=4, disable_custom_kernels=True)
#: name -> (configuration, model, configuration of the backbone, what it is given, what the model is given)
DETECTORS = {
    "deformable_detr": ("DeformableDetrConfig", "DeformableDetrForObjectDetection", "ResNetConfig", BACKBONE, dict(
        DETECT, encoder_layers=1, num_queries=6, num_feature_levels=3, use_timm_backbone=False, backbone=None,
        use_pretrained_backbone=False)),
    "rt_detr": ("RTDetrConfig", "RTDetrForObjectDetection", "RTDetrResNetConfig", dict(BACKBONE, layer_type="basic"), dict(
        DETECT, encoder_hidden_dim=32, encoder_in_channels=[32, 48, 64], num_queries=10, num_denoising=0,
        decoder_in_channels=[32, 32, 32])),
}
LISTEN = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, vocab_size=40,
              conv_dim=[16, 16, 16], conv_stride=[5, 2, 2], conv_kernel=[10, 3, 2], num_conv_pos_embeddings=16,
              num_conv_pos_embedding_groups=4)
SPEECH = {
    "wav2vec2": ("Wav2Vec2Config", "Wav2Vec2ForCTC", LISTEN),
    "hubert": ("HubertConfig", "HubertForCTC", LISTEN),
    "wavlm": ("WavLMConfig", "WavLMForCTC", LISTEN),
    "unispeech": ("UniSpeechConfig", "UniSpeechForCTC", LISTEN),
    "sew": ("SEWConfig", "SEWForCTC", dict(LISTEN, squeeze_factor=2)),
}
FAMILIES = {"timm": IMAGES, "encoder": ENCODERS, "decoder": DECODERS, "translator": TRANSLATORS, "vision": VISION,
            "speech": SPEECH, "cached": CACHED, "detector": DETECTORS}
SINGLE = {"whisper_encoder": "whisper", "whisper": "whisper"}

IMAGE_TUPLES = [(1,), (3,), (2,)]
OPEN_IMAGE_SCALES = [(1, 1.0, 1.0), (2, 1.5, 1.0), (3, 1.0, 2.0)]
TEXT_TUPLES = [(1, 7), (2, 24), (3, 33)]
TRANSLATION_TUPLES = [(1, 7, 5), (2, 24, 1), (3, 33, 12)]
CACHED_TUPLES = [(1, 1, 7), (2, 3, 1), (3, 4, 6)]
SPEECH_TUPLES = [(1, 800), (2, 1237), (3, 640)]


@dataclasses.dataclass
class Architecture:
    module: nn.Module
    inputs: Dict[str, torch.Tensor]
    #: input name -> {dimension: symbol}
    symbols: Dict[str, Dict[int, str]]
    #: values of the symbols, in the order of their first occurrence
    sizes: List[Tuple[int, ...]]


class Plain(nn.Module):
    """A model of transformers that takes tensors by position and gives its first result."""

    def __init__(self, model, names, **fixed):
        super().__init__()
        self.model, self.names, self.fixed = model, names, fixed

    def forward(self, first, second=None, third=None):
        given = {name: value for name, value in zip(self.names, (first, second, third)) if value is not None}
        return self.model(**given, **self.fixed, return_dict=False)[0]


class Cached(nn.Module):
    """A decoder of two layers that takes and gives the keys and values of each."""

    def __init__(self, model, config):
        super().__init__()
        self.model, self.config = model, config

    def forward(self, input_ids, key_0, value_0, key_1, value_1):
        cache = transformers.DynamicCache(config=self.config)
        cache.update(key_0, value_0, 0)
        cache.update(key_1, value_1, 1)
        result = self.model(input_ids=input_ids, past_key_values=cache, use_cache=True)
        layers = result.past_key_values.layers
        return result.logits, *(state for layer in layers for state in (layer.keys, layer.values))


def generator():
    return torch.Generator().manual_seed(models.DATA_SEED)


def picture(side, batch=2):
    return torch.randn(batch, 3, side, side, generator=generator())


def image_symbols(side, varies):
    if not varies:
        return {0: "N"}, IMAGE_TUPLES
    return {0: "N", 2: "H", 3: "W"}, [(n, int(side * h), int(side * w)) for n, h, w in OPEN_IMAGE_SCALES]


def build_timm(name):
    side, varies = IMAGES[name]
    module = timm.create_model(name, pretrained=False, exportable=True).eval()
    models.settle_batch_norm(module, torch.randn(4, 3, side, side, generator=generator()))
    symbols, sizes = image_symbols(side, varies)
    return Architecture(module, {"x": picture(side)}, {"x": symbols}, sizes)


def make_model(configuration, model, settings):
    config = getattr(transformers, configuration)(**settings)
    config.use_cache = False
    config._attn_implementation = "eager"
    return getattr(transformers, model)(config).eval(), config


def tokens(config_size, *shape):
    return torch.randint(3, config_size, shape, generator=generator())


def build_text(table, name):
    configuration, model, settings = table[name]
    module, config = make_model(configuration, model, settings)
    names = ["input_ids", "attention_mask"]
    if "attention_mask" not in inspect.signature(module.forward).parameters:
        names.pop()
    fixed = {"use_cache": False} if "use_cache" in inspect.signature(module.forward).parameters else {}
    given = {"input_ids": tokens(config.vocab_size, 2, 9), "attention_mask": torch.ones((2, 9), dtype=torch.int64)}
    return Architecture(Plain(module, names, **fixed), {n: given[n] for n in names}, {n: {0: "N", 1: "S"} for n in names},
                        TEXT_TUPLES)


def build_cached(name):
    decoder, heads = CACHED[name]
    module, config = make_model(*DECODERS[decoder])
    inputs = {"input_ids": tokens(config.vocab_size, 2, 4)}
    symbols = {"input_ids": {0: "N", 1: "S"}}
    for state in ("key_0", "value_0", "key_1", "value_1"):
        inputs[state] = torch.randn(2, heads, 5, 16, generator=generator())
        symbols[state] = {0: "N", 2: "P"}
    return Architecture(Cached(module, config), inputs, symbols, CACHED_TUPLES)


def build_detector(name):
    configuration, model, backbone, features, settings = DETECTORS[name]
    backbone = getattr(transformers, backbone)(**features)
    module, _ = make_model(configuration, model, dict(settings, backbone_config=backbone))
    return Architecture(Plain(module, ["pixel_values"]), {"pixel_values": picture(64)}, {"pixel_values": {0: "N"}},
                        IMAGE_TUPLES)


def build_translator(name):
    module, config = make_model(*TRANSLATORS[name])
    names = ["input_ids", "attention_mask", "decoder_input_ids"]
    inputs = dict(zip(names, [tokens(config.vocab_size, 2, 9), torch.ones((2, 9), dtype=torch.int64),
                              tokens(config.vocab_size, 2, 6)]))
    symbols = {"input_ids": {0: "N", 1: "S"}, "attention_mask": {0: "N", 1: "S"}, "decoder_input_ids": {0: "N", 1: "T"}}
    return Architecture(Plain(module, names, use_cache=False), inputs, symbols, TRANSLATION_TUPLES)


def build_vision(name):
    configuration, model, settings, side, varies = VISION[name]
    module, _ = make_model(configuration, model, settings)
    symbols, sizes = image_symbols(side, varies)
    return Architecture(Plain(module, ["pixel_values"]), {"pixel_values": picture(side)}, {"pixel_values": symbols}, sizes)


def build_speech(name):
    module, _ = make_model(*SPEECH[name])
    wave = torch.randn(2, 1000, generator=generator())
    return Architecture(Plain(module, ["input_values"]), {"input_values": wave}, {"input_values": {0: "N", 1: "T"}},
                        SPEECH_TUPLES)


def build_whisper(name):
    settings = dict(NARROW, num_mel_bins=16, max_source_positions=50, max_target_positions=40, pad_token_id=0,
                    bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
    module, config = make_model("WhisperConfig", "WhisperModel", settings)
    features = torch.randn(2, 16, 100, generator=generator())
    if name == "whisper_encoder":
        return Architecture(Plain(module.encoder, ["input_features"]), {"input_features": features},
                            {"input_features": {0: "N"}}, IMAGE_TUPLES)
    names = ["input_features", "decoder_input_ids"]
    return Architecture(Plain(module, names, use_cache=False), dict(zip(names, [features, tokens(500, 2, 6)])),
                        {"input_features": {0: "N"}, "decoder_input_ids": {0: "N", 1: "T"}}, [(1, 5), (2, 1), (3, 12)])


def build(name: str) -> Architecture:
    """Builds one architecture; equal names give equal weights and inputs."""
    torch.manual_seed(models.WEIGHT_SEED)
    if name in IMAGES:
        return build_timm(name)
    for table in (ENCODERS, DECODERS):
        if name in table:
            return build_text(table, name)
    if name in TRANSLATORS:
        return build_translator(name)
    if name in CACHED:
        return build_cached(name)
    if name in DETECTORS:
        return build_detector(name)
    if name in VISION:
        return build_vision(name)
    if name in SPEECH:
        return build_speech(name)
    if name in SINGLE:
        return build_whisper(name)
    raise KeyError(f"no architecture named '{name}'")


#: all names, by family
NAMES: List[str] = [name for table in FAMILIES.values() for name in table] + list(SINGLE)
